/**
 * The Table form of objects: what {@code kubectl get} prints.
 *
 * <p>Columns and cells equal those of Kubernetes' server. A table reads objects, it never changes
 * them. Start reading at {@link dev.regroup.server.table.TableView}.
 */
@NullMarked
package dev.regroup.server.table;

import org.jspecify.annotations.NullMarked;
