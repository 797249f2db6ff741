/**
 * Starts tapes as processes and recognises them again after a restart of this program; plays the
 * shortest ones in this program. Shared by containers, sandboxes and the network's holder.
 *
 * <p>Everything here blocks its thread and makes system calls: platform threads only. It knows
 * nothing about pods. Start reading at {@link dev.regroup.runtime.process.TapeRunner}.
 */
@NullMarked
package dev.regroup.runtime.process;

import org.jspecify.annotations.NullMarked;
