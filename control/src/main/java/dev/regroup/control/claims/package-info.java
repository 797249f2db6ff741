/**
 * Volume claims: a claim is bound to a directory of the node when the first pod needs it ({@link
 * dev.regroup.control.claims.ClaimView} says which), and a deleted claim stays until no pod uses
 * it. Start reading at {@link dev.regroup.control.claims.ClaimController}.
 */
@NullMarked
package dev.regroup.control.claims;

import org.jspecify.annotations.NullMarked;
