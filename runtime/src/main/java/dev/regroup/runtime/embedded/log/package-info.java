/**
 * Logs of containers: read, followed, timed and rotated while they grow.
 *
 * <p>Never between a container and its output. Start reading at {@link
 * dev.regroup.runtime.embedded.log.Logs}.
 */
@NullMarked
package dev.regroup.runtime.embedded.log;

import org.jspecify.annotations.NullMarked;
