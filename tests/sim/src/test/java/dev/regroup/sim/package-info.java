/**
 * The combined simulation (design.md section 9): real pod plans, real Job and JobSet plans, real
 * readers and writers of the wire, in a virtual cluster on one thread and in virtual time. What
 * happens and in which order follows from a seed.
 *
 * <p>Nothing here waits, reads a clock or starts a thread. Start reading at {@link
 * dev.regroup.sim.Cluster}, then {@link dev.regroup.sim.Judge}.
 */
@NullMarked
package dev.regroup.sim;

import org.jspecify.annotations.NullMarked;
