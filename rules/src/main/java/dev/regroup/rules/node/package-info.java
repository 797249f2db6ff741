/**
 * Decisions about nodes: when one counts as lost, what keeps pods away from it, and what becomes of
 * the pods it had (job.md JB-113, JB-114; jobset.md JS-136).
 *
 * <p>Time comes in as how long something has lasted; nothing here reads a clock. Start reading at
 * {@link dev.regroup.rules.node.NodeHealth}.
 */
@NullMarked
package dev.regroup.rules.node;

import org.jspecify.annotations.NullMarked;
