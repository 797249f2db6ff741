/**
 * Admission of pods and pod templates: defaults, what Kubernetes' admission plugins add, checks of
 * every part of the spec, what may change later, and the status guard.
 *
 * <p>Pure functions on trees; unknown fields survive. Paths start where the caller says, so the
 * same checks serve a pod, a Job's template and a JobSet's. Start reading at {@link
 * dev.regroup.api.admission.pod.PodAdmission}.
 */
@NullMarked
package dev.regroup.api.admission.pod;

import org.jspecify.annotations.NullMarked;
