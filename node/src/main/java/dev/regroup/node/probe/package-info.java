/**
 * Probes and lifecycle hooks: running the handlers a manifest names, and keeping what they said.
 *
 * <p>Results belong to one run of a container and never touch another (RAC-40). Nothing here
 * restarts or stops anything: a changed result pokes the pod's worker, the plan decides. Start
 * reading at {@link ProbeWorkers}, then {@link Handlers}.
 */
@NullMarked
package dev.regroup.node.probe;

import org.jspecify.annotations.NullMarked;
