/**
 * The life of nodes as others see it, and what becomes of pods whose node is silent, tainted or
 * gone. Decisions are in {@code rules.node}; time is that during which this program was awake.
 *
 * <p>Start reading at {@link dev.regroup.control.nodes.NodeLifecycle}.
 */
@NullMarked
package dev.regroup.control.nodes;

import org.jspecify.annotations.NullMarked;
