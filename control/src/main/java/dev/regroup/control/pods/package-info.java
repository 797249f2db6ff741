/**
 * Pods as the controllers see them: one informer for all, slim records, made once per change; and
 * how what they decided about a pod is written to it.
 *
 * <p>Nothing here decides. Start reading at {@link dev.regroup.control.pods.ControlledPod}.
 */
@NullMarked
package dev.regroup.control.pods;

import org.jspecify.annotations.NullMarked;
