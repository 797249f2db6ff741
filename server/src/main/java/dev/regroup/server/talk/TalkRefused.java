package dev.regroup.server.talk;

import dev.regroup.server.wire.Status;

/** What was asked for in a talk cannot be had; the client is told in the talk. */
public final class TalkRefused extends Exception {
  private final transient Status status;

  public TalkRefused(Status status) {
    super(status.message());
    this.status = status;
  }

  Status status() {
    return status;
  }
}
