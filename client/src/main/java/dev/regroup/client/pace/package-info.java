/**
 * Manners towards an API server that others use, too: not too many requests in a second, none at
 * once again where the server asks for a pause, and a name to every request.
 *
 * <p>Knows nothing of what is asked. Start reading at {@link
 * dev.regroup.client.pace.PacedTransport}.
 */
@NullMarked
package dev.regroup.client.pace;

import org.jspecify.annotations.NullMarked;
