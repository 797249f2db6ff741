/** Events: what the controllers tell people about the objects they handle. */
@NullMarked
package dev.regroup.control.events;

import org.jspecify.annotations.NullMarked;
