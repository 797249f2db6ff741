/**
 * SPDY/3.1, as much of it as Kubernetes' port-forward needs: streams with headers inside one
 * connection of bytes.
 *
 * <p>Knows nothing of ports. Start reading at {@link dev.regroup.server.spdy.SpdyConnection}.
 */
@NullMarked
package dev.regroup.server.spdy;

import org.jspecify.annotations.NullMarked;
