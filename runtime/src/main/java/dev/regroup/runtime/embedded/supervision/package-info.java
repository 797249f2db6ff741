/**
 * Processes looked after: their ends, the signals they get, the threads that do so.
 *
 * <p>Knows processes and files, not pods. Start reading at {@link
 * dev.regroup.runtime.embedded.supervision.Supervisor}.
 */
@NullMarked
package dev.regroup.runtime.embedded.supervision;

import org.jspecify.annotations.NullMarked;
