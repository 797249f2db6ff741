/**
 * Gives each pod a node: the decision is {@link dev.regroup.control.scheduler.Placement}, a pure
 * function; the controller around it binds and says why a pod has to wait.
 *
 * <p>Requests for CPU, memory and devices are not weighed: a manifest written for a large cluster
 * must start on one machine. Start reading at {@link dev.regroup.control.scheduler.Placement}.
 */
@NullMarked
package dev.regroup.control.scheduler;

import org.jspecify.annotations.NullMarked;
