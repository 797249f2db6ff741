/**
 * What belongs to one pod on this node: its revision as the API shows it, its directory, its
 * durable record, its threads.
 *
 * <p>Starts and stops nothing. Start reading at {@link dev.regroup.node.pod.NodePod}.
 */
@NullMarked
package dev.regroup.node.pod;

import org.jspecify.annotations.NullMarked;
