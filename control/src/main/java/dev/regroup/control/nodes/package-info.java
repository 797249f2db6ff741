/**
 * What happens when a node is gone. Living pods are never touched here. Start reading at {@link
 * dev.regroup.control.nodes.LostPods}.
 */
@NullMarked
package dev.regroup.control.nodes;

import org.jspecify.annotations.NullMarked;
