/**
 * Events: what the controllers tell people about the objects they handle. Start reading at {@link
 * dev.regroup.control.events.EventSink}.
 */
@NullMarked
package dev.regroup.control.events;

import org.jspecify.annotations.NullMarked;
