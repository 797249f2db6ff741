/**
 * The Kubernetes API, answered from this process.
 *
 * <p>One pipeline answers every request, whoever carries it: {@link
 * dev.regroup.server.wire.Exchange#handle} takes credentials and the bytes of a request and gives
 * the bytes of an answer or a stream of frames. Jetty (HTTPS) and the in-process transport call the
 * same method, so identity, admission, validation and conflicts are the same on both. Encoded bytes
 * are the truth: an object is decoded to be changed, never to be read. Nothing here decides about
 * pods or jobs; controllers and the node do that through the same door. Start reading at {@link
 * dev.regroup.server.wire.Exchange}.
 */
@NullMarked
package dev.regroup.server;

import org.jspecify.annotations.NullMarked;
