/**
 * Pods between the wire and {@code rules}: a spec as decisions need it, a status as clients read
 * it.
 *
 * <p>Pure functions on the Kubernetes library's classes and on JSON trees. Nothing here checks or
 * defaults a pod (admission did) and nothing decides about it. Start reading at {@link PodSpecs},
 * then {@link StatusWriter}.
 */
@NullMarked
package dev.regroup.api.pod;

import org.jspecify.annotations.NullMarked;
