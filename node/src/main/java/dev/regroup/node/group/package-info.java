/**
 * The groups of this node's pods: what their JobSets order, as last read.
 *
 * <p>Reads only; the barrier is the plan's affair. Start reading at {@link
 * dev.regroup.node.group.JobSetGroups}.
 */
@NullMarked
package dev.regroup.node.group;

import org.jspecify.annotations.NullMarked;
