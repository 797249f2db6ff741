/**
 * The runtime for one Linux machine: pods are processes in namespaces, started by syscall tapes.
 *
 * <p>The rule everything follows: what is true is on disk or in the kernel, memory is a copy of it.
 * A directory per run holds what was asked (written before the start), what started, how it ended
 * (both written by the supervising tape) and why the node stopped it. {@link
 * dev.regroup.runtime.embedded.container.RunFiles} turns these files into a state; a start of this
 * program and an exit of a container go through the same method. A container whose supervisor is
 * gone without a word counts as ended when that is noticed (SEQ-25a); a sandbox is adopted only
 * with its memory and its network. Nothing is ever mounted in the host's mount namespace.
 *
 * <p>Threads: callers may be virtual; system calls run on {@code launcher-*}, exits are seen by
 * {@code exits}, the next runs are prepared by {@code preparer}, directories are deleted by {@code
 * sweeper}, logs are timed and rotated by {@code logs}, pipes and terminals watched by {@code
 * streams}. Start reading at {@link dev.regroup.runtime.embedded.EmbeddedRuntime}, then {@link
 * dev.regroup.runtime.embedded.tapes.ContainerTape}.
 */
@NullMarked
package dev.regroup.runtime.embedded;

import org.jspecify.annotations.NullMarked;
