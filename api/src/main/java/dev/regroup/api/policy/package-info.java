/**
 * What objects of {@code admissionregistration.k8s.io} mean: which requests a policy or a webhook
 * is about, and what a policy says to one.
 *
 * <p>Pure: the server gathers what is stored and who asks, and answers. Start reading at {@link
 * dev.regroup.api.policy.CompiledPolicy}.
 */
@NullMarked
package dev.regroup.api.policy;

import org.jspecify.annotations.NullMarked;
