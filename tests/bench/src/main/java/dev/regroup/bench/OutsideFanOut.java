package dev.regroup.bench;

import dev.regroup.bench.outside.OutsideClients;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Many watches of one object: how long until one change has reached all of them? */
final class OutsideFanOut implements AutoCloseable {

  private static final int WATCHES_OF_ONE_CONNECTION = 250;
  private static final String PATH = "/api/v1/namespaces/default/configmaps";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Transport writer;
  private final String name;
  private final int watches;
  private final AtomicReference<CountDownLatch> told;
  private final List<Transport.Stream> streams = new ArrayList<>();
  private final AtomicInteger size = new AtomicInteger();
  private int rounds;

  /** Returns when all watches have seen what is there. */
  OutsideFanOut(OutsideClients server, int watches) throws IOException, InterruptedException {
    this.writer = server.connect();
    this.name = "shared-" + watches;
    this.watches = watches;
    this.told = new AtomicReference<>(new CountDownLatch(watches));
    OutsideClients.send(
        writer,
        "POST",
        PATH,
        "application/json",
        "{\"metadata\":{\"name\":\"%1$s\"},\"data\":{\"text\":\"%2$s\"}}"
            .formatted(name, "x".repeat(Rate.BYTES)));
    var readers = server.connect(watches / WATCHES_OF_ONE_CONNECTION);
    try {
      for (int i = 0; i < watches; i++) {
        var query = "watch=true&fieldSelector=metadata.name%3D" + name;
        var stream = readers.get(i % readers.size()).open(Request.get(PATH, query));
        streams.add(stream);
        Thread.ofVirtual().start(() -> follow(stream));
      }
      await(told.get());
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Changes the object once. */
  Duration round() throws IOException, InterruptedException {
    var all = new CountDownLatch(watches);
    told.set(all);
    long begin = System.nanoTime();
    OutsideClients.send(
        writer,
        "PATCH",
        PATH + "/" + name,
        "application/merge-patch+json",
        "{\"data\":{\"round\":\"" + rounds++ + "\"}}");
    await(all);
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** How many bytes each watch was told. */
  int frame() {
    return size.get();
  }

  /** Every watch has a thread that waits for the next round's event. */
  private void follow(Transport.Stream stream) {
    try {
      for (var frame = stream.next(); frame != null; frame = stream.next()) {
        size.set(frame.length);
        told.get().countDown();
      }
    } catch (Transport.Unreachable e) {
      return; // closed: the round that waits for it notices
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(CountDownLatch all) throws InterruptedException {
    if (!all.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(all.getCount() + " watches were not told");
    }
  }

  @Override
  public void close() {
    streams.forEach(Transport.Stream::close);
  }
}
