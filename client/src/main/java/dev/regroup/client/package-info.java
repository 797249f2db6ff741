/**
 * One port to a Kubernetes API, whatever answers it: the embedded server in this process or a real
 * API server behind HTTPS.
 *
 * <p>The seam is {@link dev.regroup.client.Transport}: requests and responses are bytes, a watch is
 * a pull of byte frames. Objects never cross it. Nothing here knows which transport it runs on, nor
 * what a pod is.
 *
 * <p>Start reading at {@link dev.regroup.client.Transport}, then {@link
 * dev.regroup.client.ApiClient} (single exchanges), {@link dev.regroup.client.informer.Informer} (a
 * cache that follows the server), {@link dev.regroup.client.queue.WorkQueue} (what a controller
 * does with the news) and {@link dev.regroup.client.controller.ControllerLoop} (both put together).
 */
@NullMarked
package dev.regroup.client;

import org.jspecify.annotations.NullMarked;
