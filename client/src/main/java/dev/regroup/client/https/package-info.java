/**
 * The transport to an API server behind HTTPS.
 *
 * <p>Knows bytes and frames, no objects. Start reading at {@link
 * dev.regroup.client.https.HttpsTransport}.
 */
@NullMarked
package dev.regroup.client.https;

import org.jspecify.annotations.NullMarked;
