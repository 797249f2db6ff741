/**
 * One leader among several programs of the same kind, by a Lease object: whoever renews it leads.
 *
 * <p>Decisions are in {@link dev.regroup.client.lease.LeaseRecord} and {@link
 * dev.regroup.client.lease.LeaseView}, which know no clock. Start reading at {@link
 * dev.regroup.client.lease.LeaderLease}.
 */
@NullMarked
package dev.regroup.client.lease;

import org.jspecify.annotations.NullMarked;
