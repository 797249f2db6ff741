/**
 * The node: one worker per pod around the pure planner of {@code rules.pod}.
 *
 * <p>This package observes, asks the planner and performs its effects; it never decides itself
 * which container starts, stops or restarts, and it never waits for the API server before it acts
 * on a pod. Start reading at {@link PodWorker}, then {@link PodDriver}, then {@link Node}.
 */
@NullMarked
package dev.regroup.node;

import org.jspecify.annotations.NullMarked;
