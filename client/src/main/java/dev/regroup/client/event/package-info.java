/**
 * Events: what a component tells people about an object, best effort and never input.
 *
 * <p>Start reading at {@link dev.regroup.client.event.EventRecorder}.
 */
@NullMarked
package dev.regroup.client.event;

import org.jspecify.annotations.NullMarked;
