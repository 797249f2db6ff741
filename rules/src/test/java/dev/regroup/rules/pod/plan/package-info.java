/**
 * Tests of the pod plan. {@link dev.regroup.rules.pod.plan.SimNode} is a node with a simulated
 * runtime in virtual time; start reading there.
 */
@NullMarked
package dev.regroup.rules.pod.plan;

import org.jspecify.annotations.NullMarked;
