/**
 * The syscall tape: a list of system calls as data, and the tiny program that performs it.
 *
 * <p>A tape is written in Java, printed like strace, assembled into 64-byte records and performed
 * by an interpreter of under a hundred bytes that becomes the parent of a container and outlives
 * this program. What a tape does is decided when it is written; the interpreter knows two things:
 * make this call, and go on there if that word is less than, equal to or greater than this number.
 * A tape never changes itself: descriptors are numbered by the kernel's rule "the lowest free one",
 * so they are known in advance.
 *
 * <p>The same loop exists in Java: a {@link dev.regroup.runtime.tape.Player} plays a tape record by
 * record over a {@link dev.regroup.runtime.tape.Kernel}. It plays what is too short for a process
 * of its own, and every tape in tests.
 *
 * <p>Nothing in this package makes a system call. Start reading at {@link
 * dev.regroup.runtime.tape.Tape}.
 */
@NullMarked
package dev.regroup.runtime.tape;

import org.jspecify.annotations.NullMarked;
