/**
 * Runs of containers: planned, started, kept ready in advance, stopped, found again.
 *
 * <p>What is true is in the run's files; memory is a copy. Start reading at {@link
 * dev.regroup.runtime.embedded.container.ContainerRun}.
 */
@NullMarked
package dev.regroup.runtime.embedded.container;

import org.jspecify.annotations.NullMarked;
