/**
 * Keeps the endpoint slices of services: which addresses stand behind a name.
 *
 * <p>What the slices of a service should be is {@link dev.regroup.control.endpoints.SlicePlan}, a
 * pure function. An endpoint stays in the slice it is in, so a change rewrites one slice. Start
 * reading there.
 */
@NullMarked
package dev.regroup.control.endpoints;

import org.jspecify.annotations.NullMarked;
