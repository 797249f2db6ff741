/**
 * The wire side of Regroup: where pods, Jobs and JobSets are read from trees, once for all, and
 * written to them, and the feature gates.
 *
 * <p>Nothing here starts a thread, opens a socket or reads a clock. Start reading at {@link
 * dev.regroup.api.Wire}, then {@code job}, {@code jobset} and {@code pod}; admission is in {@code
 * dev.regroup.api.admission}.
 */
@NullMarked
package dev.regroup.api;

import org.jspecify.annotations.NullMarked;
