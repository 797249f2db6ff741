/**
 * Validating admission policies in force: what is stored, compiled, and asked about every write.
 *
 * <p>What a policy means is in {@code api.policy}. Start reading at {@link
 * dev.regroup.server.policy.PolicyLink}.
 */
@NullMarked
package dev.regroup.server.policy;

import org.jspecify.annotations.NullMarked;
