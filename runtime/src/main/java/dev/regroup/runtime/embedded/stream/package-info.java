/**
 * Bytes to and from programs in containers: pipes and terminals that many virtual threads wait for
 * and one platform thread watches.
 *
 * <p>Knows nothing of containers. Start reading at {@link
 * dev.regroup.runtime.embedded.stream.Readiness}.
 */
@NullMarked
package dev.regroup.runtime.embedded.stream;

import org.jspecify.annotations.NullMarked;
