/**
 * The node: registers itself, follows the pods bound to it and gives each a worker around the pure
 * planner of {@code rules.pod.plan}.
 *
 * <p>The node observes, asks the planner and performs its effects; it never decides itself which
 * container starts, stops or restarts, and it never waits until its reports are written. A start
 * waits for the API server only where it needs an object of it: a config map or a secret. Start
 * reading at {@link dev.regroup.node.Node}, then {@link dev.regroup.node.worker.PodWorker} and
 * {@link dev.regroup.node.worker.PodDriver}.
 */
@NullMarked
package dev.regroup.node;

import org.jspecify.annotations.NullMarked;
