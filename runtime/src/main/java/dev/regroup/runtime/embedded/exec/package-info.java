/**
 * Commands inside a running container.
 *
 * <p>Leaves no process behind that could keep the container from ending. Start reading at {@link
 * dev.regroup.runtime.embedded.exec.ExecProcess}.
 */
@NullMarked
package dev.regroup.runtime.embedded.exec;

import org.jspecify.annotations.NullMarked;
