/**
 * API servers in processes of their own, and ways to them: how benchmarks ask a server that is not
 * in their program. Knows nothing of figures. Start reading at {@link
 * dev.regroup.bench.outside.ServerOutside}.
 */
@NullMarked
package dev.regroup.bench.outside;

import org.jspecify.annotations.NullMarked;
