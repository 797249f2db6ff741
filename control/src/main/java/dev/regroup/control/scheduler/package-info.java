/**
 * Gives each pod a node: the decision is {@link dev.regroup.control.scheduler.NodeChoice}, a pure
 * function; the controller around it binds and says why a pod has to wait.
 *
 * <p>What pods ask for is weighed against what the node has, as in Kubernetes: a pod that asks for
 * a device nobody has, or for more CPU than is left, waits. Nobody is evicted for somebody else.
 * Start reading at {@link dev.regroup.control.scheduler.NodeChoice}.
 */
@NullMarked
package dev.regroup.control.scheduler;

import org.jspecify.annotations.NullMarked;
