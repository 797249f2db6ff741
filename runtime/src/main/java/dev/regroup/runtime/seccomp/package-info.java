/**
 * System call filters: a readable profile becomes a program the kernel runs before every call.
 *
 * <p>Everything here is a pure function of its arguments; nothing installs a filter, that is a
 * record of a tape. Start reading at {@link dev.regroup.runtime.seccomp.Profile}, then the table
 * {@code calls.txt} and {@link dev.regroup.runtime.seccomp.DefaultProfile}.
 */
@NullMarked
package dev.regroup.runtime.seccomp;

import org.jspecify.annotations.NullMarked;
