/**
 * Revisioned objects on disk: an append-only log with group commit, the live state in memory as
 * encoded bytes, and one ring of recent changes per collection that watchers read as cursors.
 *
 * <p>A write is seen by its caller, by readers and by watchers only after it is on disk. Nothing
 * here knows what a value means: no JSON, no Kubernetes. Start reading at {@link
 * dev.regroup.store.Store}, then {@code Committer} (how a write becomes durable) and {@code Ring}
 * (how it is watched).
 */
@NullMarked
package dev.regroup.store;

import org.jspecify.annotations.NullMarked;
