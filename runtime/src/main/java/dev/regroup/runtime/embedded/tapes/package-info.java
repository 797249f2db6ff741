/**
 * The tapes: one per process in the life of a container, as lists of system calls.
 *
 * <p>Pure: a plan goes in, a tape comes out; nothing is called here. Start reading at {@link
 * dev.regroup.runtime.embedded.tapes.ContainerTape}.
 */
@NullMarked
package dev.regroup.runtime.embedded.tapes;

import org.jspecify.annotations.NullMarked;
