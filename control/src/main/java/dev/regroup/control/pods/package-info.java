/**
 * Pods as the Job and JobSet controllers see them: one informer for both, slim records, made once
 * per change.
 *
 * <p>Nothing here decides or writes. Start reading at {@link
 * dev.regroup.control.pods.ControlledPod}.
 */
@NullMarked
package dev.regroup.control.pods;

import org.jspecify.annotations.NullMarked;
