/**
 * The node: one worker per pod around the pure planner of {@code rules.pod}.
 *
 * <p>This package observes, asks the planner and performs its effects; it never decides itself
 * which container starts, stops or restarts, and it never waits until its reports are written. A
 * start waits for the API server only where it needs an object of it: a config map or a secret.
 * Start reading at {@link PodWorker}, then {@link PodDriver}, then {@link Node}.
 */
@NullMarked
package dev.regroup.node;

import org.jspecify.annotations.NullMarked;
