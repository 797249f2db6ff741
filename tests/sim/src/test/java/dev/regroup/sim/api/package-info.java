/**
 * A virtual Kubernetes API: revisions, conflicts, finalizers, graces, watches that lag, break and
 * list again. Objects are trees, as on the wire; admission is the product's.
 *
 * <p>Nothing here knows what controllers and nodes want. Start reading at {@link
 * dev.regroup.sim.api.VirtualApi}.
 */
@NullMarked
package dev.regroup.sim.api;

import org.jspecify.annotations.NullMarked;
