/**
 * The containers of one pod: described for the runtime, started, stopped, with hooks and sandbox.
 *
 * <p>Does what the plan says and decides nothing. Start reading at {@link
 * dev.regroup.node.container.PodContainers}.
 */
@NullMarked
package dev.regroup.node.container;

import org.jspecify.annotations.NullMarked;
