/**
 * Keeps the endpoint slices of services: which addresses stand behind a name.
 *
 * <p>What the slices of a service should be is a pure function. An endpoint stays in the slice it
 * is in, so a change rewrites one slice. Start reading at {@link
 * dev.regroup.control.endpoints.SlicePlan}.
 */
@NullMarked
package dev.regroup.control.endpoints;

import org.jspecify.annotations.NullMarked;
