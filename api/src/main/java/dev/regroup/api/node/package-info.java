/**
 * Nodes on the wire, as far as their life and their taints go.
 *
 * <p>Reads and writes, decides nothing. Start reading at {@link dev.regroup.api.node.NodeReader}.
 */
@NullMarked
package dev.regroup.api.node;

import org.jspecify.annotations.NullMarked;
