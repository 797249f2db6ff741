/**
 * Checks of one container of a pod: policy and rules, variables, mounts, ports, probes, resources
 * and security, in Kubernetes' words.
 *
 * <p>Nothing here looks beyond the pod spec it is given. Start reading at {@link
 * dev.regroup.api.admission.container.ContainerValidation}.
 */
@NullMarked
package dev.regroup.api.admission.container;

import org.jspecify.annotations.NullMarked;
