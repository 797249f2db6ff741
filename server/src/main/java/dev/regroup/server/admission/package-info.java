/**
 * A request on its way through admission, as those see it who were configured: policies and
 * webhooks.
 *
 * <p>Start reading at {@link dev.regroup.server.admission.SeenRequest}.
 */
@NullMarked
package dev.regroup.server.admission;

import org.jspecify.annotations.NullMarked;
