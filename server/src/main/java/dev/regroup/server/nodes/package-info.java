/**
 * What a node may do: read what its own pods need, and write about itself and them.
 *
 * <p>Nothing here is asked about a node that runs inside this process; it is trusted. Start reading
 * at {@link dev.regroup.server.nodes.NodeAuthorizer}.
 */
@NullMarked
package dev.regroup.server.nodes;

import org.jspecify.annotations.NullMarked;
