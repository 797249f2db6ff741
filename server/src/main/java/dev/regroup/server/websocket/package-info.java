/**
 * WebSocket (RFC 6455), the server's side: the handshake, frames, messages.
 *
 * <p>Knows nothing of what is talked about. Everything a client sends has a limit, and nothing it
 * sends can do more than end its own talk. Start reading at {@link
 * dev.regroup.server.websocket.WebSocket}.
 */
@NullMarked
package dev.regroup.server.websocket;

import org.jspecify.annotations.NullMarked;
