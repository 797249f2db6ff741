/**
 * Kubernetes' own programs for the tests and figures that put Regroup on them or beside them: built
 * by Go from the published modules, started, stopped, and given certificates. Nothing here is part
 * of the product. Start reading at {@link dev.regroup.upstream.GoPrograms}.
 */
@NullMarked
package dev.regroup.upstream;

import org.jspecify.annotations.NullMarked;
