/**
 * HTTPS on loopback: certificates and the Jetty listener.
 *
 * <p>Turns connections into identities and requests into calls of the exchange; it knows nothing of
 * objects. Start reading at {@link dev.regroup.server.https.HttpsListener}.
 */
@NullMarked
package dev.regroup.server.https;

import org.jspecify.annotations.NullMarked;
