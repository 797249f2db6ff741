package dev.regroup.server.wire;

import dev.regroup.client.Request;
import dev.regroup.server.access.Credentials;

/**
 * The one pipeline: authenticate, authorize, decode, admit, validate, commit, encode. It never
 * throws for anything a client can do: bad input becomes a Kubernetes {@code Status} with its code.
 * May be called by any number of threads; a write returns when it is durable.
 */
public interface Exchange {

  /** What the head of a request decides, before its body is read. */
  Entry enter(Credentials credentials, Request head);

  /** Whether the rest of a request may come. */
  sealed interface Entry {

    /** Its sender may not ask this. */
    record Refused(Answer answer) implements Entry {}

    /** Its sender was asked about, and is not asked about again. */
    non-sealed interface Granted extends Entry {

      /** Answers the whole request, whose head was granted. */
      Answer handle(Request request) throws InterruptedException;
    }
  }

  Answer handle(Credentials credentials, Request request) throws InterruptedException;
}
