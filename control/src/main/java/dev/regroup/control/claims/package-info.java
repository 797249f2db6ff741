/**
 * Volume claims: a deleted claim stays until no pod uses it. Claims are never bound here; that
 * needs storage. Start reading at {@link dev.regroup.control.claims.ClaimController}.
 */
@NullMarked
package dev.regroup.control.claims;

import org.jspecify.annotations.NullMarked;
