/**
 * Deletes what belongs to nobody any more, and carries out foreground and orphan deletion
 * (Kubernetes' garbage collector; job.md JB-93, JB-116).
 *
 * <p>Decisions are made on a graph of metadata ({@link dev.regroup.control.owners.OwnerGraph});
 * before anything is deleted, the owner's absence is confirmed by a read. Start reading at {@link
 * dev.regroup.control.owners.OwnerGraph}.
 */
@NullMarked
package dev.regroup.control.owners;

import org.jspecify.annotations.NullMarked;
