package dev.regroup.server;

import dev.regroup.client.Request;
import dev.regroup.server.wire.Answer;
import java.util.Optional;

/**
 * The one pipeline: authorize, decode, admit, validate, commit, encode. It never throws for
 * anything a client can do: bad input becomes a Kubernetes {@code Status} with its code. May be
 * called by any number of threads; a write returns when it is durable.
 */
public interface Exchange {

  /** What the head of a request already decides: nothing, or that its sender may not ask this. */
  Optional<Answer> refusal(Identity identity, Request head);

  Answer handle(Identity identity, Request request) throws InterruptedException;
}
