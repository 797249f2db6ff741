/**
 * Events of controllers: what a user sees in {@code kubectl describe}.
 *
 * <p>Recording never fails or delays a controller. Start reading at {@link
 * dev.regroup.control.events.EventRecorder}.
 */
@NullMarked
package dev.regroup.control.events;

import org.jspecify.annotations.NullMarked;
