/**
 * Admission of the simpler kinds: namespaces, nodes, services, config maps, secrets, events,
 * leases, endpoint slices, service accounts, claims, priority classes. Metadata is checked for
 * every kind; a kind with rules of its own has a small class here.
 *
 * <p>Pure functions on trees. Start reading at {@link
 * dev.regroup.api.admission.core.CoreAdmission}.
 */
@NullMarked
package dev.regroup.api.admission.core;

import org.jspecify.annotations.NullMarked;
