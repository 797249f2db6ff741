/**
 * The few system calls Regroup makes itself, through the foreign function interface: one method per
 * call, an errno becomes a {@link dev.regroup.runtime.linux.SyscallFailure} that names the call.
 *
 * <p>Nothing here has an opinion or keeps state. Calls block their thread in the kernel, so they
 * belong on named platform threads, never on virtual ones. Start reading at {@link
 * dev.regroup.runtime.linux.Linux}.
 */
@NullMarked
package dev.regroup.runtime.linux;

import org.jspecify.annotations.NullMarked;
