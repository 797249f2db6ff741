package dev.regroup.server;

import dev.regroup.client.Request;
import dev.regroup.server.wire.Answer;

/**
 * The one pipeline: authorize, decode, admit, validate, commit, encode. It never throws for
 * anything a client can do: bad input becomes a Kubernetes {@code Status} with its code. May be
 * called by any number of threads; a write returns when it is durable.
 */
public interface Exchange {

  Answer handle(Identity identity, Request request) throws InterruptedException;
}
