/**
 * One worker per pod: look, plan, publish, do, wait.
 *
 * <p>The plan decides; workers only carry out. Start reading at {@link
 * dev.regroup.node.worker.PodWorker}.
 */
@NullMarked
package dev.regroup.node.worker;

import org.jspecify.annotations.NullMarked;
