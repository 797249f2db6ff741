package dev.regroup.server.wire;

import dev.regroup.client.Request;
import dev.regroup.server.access.Credentials;
import java.util.Optional;

/**
 * The one pipeline: authenticate, authorize, decode, admit, validate, commit, encode. It never
 * throws for anything a client can do: bad input becomes a Kubernetes {@code Status} with its code.
 * May be called by any number of threads; a write returns when it is durable.
 */
public interface Exchange {

  /** What the head of a request already decides: nothing, or that its sender may not ask this. */
  Optional<Answer> refusal(Credentials credentials, Request head);

  Answer handle(Credentials credentials, Request request) throws InterruptedException;
}
