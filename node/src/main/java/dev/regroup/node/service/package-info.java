/**
 * Services as this node sees them: one view of Services and EndpointSlices that names and relays
 * share, and the relays that answer at cluster addresses inside the pods' network.
 *
 * <p>What should be relayed is a pure function of one service and its slices ({@link
 * dev.regroup.node.service.RelayPlan}); a change of one object looks at one service again, however
 * many there are. Sockets towards pods are opened inside the fabric, those towards endpoints on the
 * host, which reaches pods and pods of the host's network alike. Nothing here may lead to an
 * address that only the host itself should reach. Start reading at {@link
 * dev.regroup.node.service.ServiceRelays}.
 */
@NullMarked
package dev.regroup.node.service;

import org.jspecify.annotations.NullMarked;
