/**
 * Machines with pods: a virtual runtime, the product's pod plan and status wire, a node program
 * that dies and comes back.
 *
 * <p>A machine knows the API and its own pods, nothing of controllers. Start reading at {@link
 * dev.regroup.sim.node.SimMachine}.
 */
@NullMarked
package dev.regroup.sim.node;

import org.jspecify.annotations.NullMarked;
