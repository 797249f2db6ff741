/**
 * Talks between a client and what runs in a pod, in the protocols of Kubernetes: channels of one
 * WebSocket for commands, forwarded ports.
 *
 * <p>Nothing here decides who may talk, or knows where containers are: streams and connections come
 * in. Each talk ends everything it began before it returns. Start reading at {@link
 * dev.regroup.server.talk.CommandTalk}.
 */
@NullMarked
package dev.regroup.server.talk;

import org.jspecify.annotations.NullMarked;
