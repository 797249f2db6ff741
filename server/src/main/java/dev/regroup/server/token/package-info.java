/**
 * Tokens of service accounts: who signs them, what they say, and whether they still count.
 *
 * <p>A token names an account and often a pod, node or secret; it dies with any of them. Start
 * reading at {@link dev.regroup.server.token.BoundTokens}.
 */
@NullMarked
package dev.regroup.server.token;

import org.jspecify.annotations.NullMarked;
