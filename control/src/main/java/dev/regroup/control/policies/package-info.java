/**
 * Tells the authors of policies what their expressions would make of the kinds they are about.
 *
 * <p>Start reading at {@link dev.regroup.control.policies.PolicyTypeController}.
 */
@NullMarked
package dev.regroup.control.policies;

import org.jspecify.annotations.NullMarked;
