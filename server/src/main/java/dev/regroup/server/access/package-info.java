/**
 * Who asks, and may they: two ports of the pipeline and what stands behind them today.
 *
 * <p>An {@link dev.regroup.server.access.Authenticator} makes an identity of credentials, an {@link
 * dev.regroup.server.access.Authorizer} judges what an identity wants to do. Both are chains: a
 * further way to prove who one is, or to grant a right, is one more link. Nothing here knows routes
 * or how a refusal is worded. Start reading at {@link dev.regroup.server.access.Authorizer}.
 */
@NullMarked
package dev.regroup.server.access;

import org.jspecify.annotations.NullMarked;
