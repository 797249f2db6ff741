/**
 * One port to a Kubernetes API, whatever answers it: the embedded server in this process or a real
 * API server behind HTTPS.
 *
 * <p>The seam is {@link dev.regroup.client.Transport}: requests and responses are bytes, a watch is
 * a pull of byte frames. Objects never cross it. Nothing here knows which transport it runs on.
 * Start reading at {@link dev.regroup.client.Transport}.
 */
@NullMarked
package dev.regroup.client;

import org.jspecify.annotations.NullMarked;
