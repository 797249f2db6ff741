package dev.regroup.cli.ui;

import dev.regroup.client.Headers;
import dev.regroup.client.Transport;
import org.jspecify.annotations.Nullable;

/** The output of a container on its way to the page, with the page's headers. */
record ContainerLog(Transport.Stream log) implements Transport.Stream {

  @Override
  public int status() {
    return log.status();
  }

  @Override
  public Headers headers() {
    return PageFiles.guarded(
        log.status() == 200 ? "text/plain; charset=utf-8" : "application/json");
  }

  @Override
  public byte @Nullable [] next() throws Transport.Unreachable, InterruptedException {
    return log.next();
  }

  @Override
  public byte @Nullable [] poll() throws InterruptedException {
    return log.poll();
  }

  @Override
  public void close() {
    log.close();
  }
}
