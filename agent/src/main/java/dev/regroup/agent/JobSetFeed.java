package dev.regroup.agent;

import dev.regroup.agent.AgentConfig.Place;
import dev.regroup.agent.ApiLink.Reply;
import dev.regroup.rules.group.GroupOrders;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows one JobSet: a consistent read first, so that no lagging cache can hand out an attempt of
 * the past (JS-139), then a watch from the version read. A watch that breaks is taken up where it
 * was; where the server has forgotten that version, everything is read anew (JS-143).
 *
 * <p>{@link #first} runs on the caller's thread, {@link #follow} on one of its own. Until it
 * follows, its connection is free for the report of the first attempt (JS-162).
 */
final class JobSetFeed {

  private static final int LARGEST_EVENT = 16 * 1024 * 1024;
  private static final int WATCH_SECONDS = 300;
  private static final Duration SHORTEST_WATCH = Duration.ofSeconds(1);
  private static final int GONE = 410;

  private final ApiConnector connector;
  private final Place place;
  private final String collection;
  private final Retry retry = new Retry();
  private @Nullable ApiLink link;
  private String version = ""; // to watch from; empty: read first
  private byte[] buffer = new byte[32 * 1024];

  JobSetFeed(ApiConnector connector, Place place) {
    this.connector = connector;
    this.place = place;
    this.collection =
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/"
            + place.namespace()
            + "/jobsets?fieldSelector=metadata.name%3D"
            + place.jobSet();
  }

  /** The orders at the start, asked for until there is an answer. */
  GroupOrders first() throws InterruptedException {
    while (true) {
      try {
        return read();
      } catch (IOException | RuntimeException e) {
        failed(e);
      }
    }
  }

  /** The connection of {@link #first}, while nothing follows; null when it is spent. */
  @Nullable ApiLink idle() {
    return link != null && link.reusable() ? link : null;
  }

  /** Tells every change from now on, in the order of its making. */
  void follow(Consumer<GroupOrders> news) {
    var thread = new Thread(() -> forever(news), "jobset");
    thread.setDaemon(true);
    thread.start();
  }

  private void forever(Consumer<GroupOrders> news) {
    try {
      while (true) {
        try {
          if (version.isEmpty()) {
            news.accept(read());
          }
          long begun = System.nanoTime();
          watch(news);
          if (System.nanoTime() - begun < SHORTEST_WATCH.toNanos()) {
            Thread.sleep(retry.nextMillis()); // a server that ends each at once is not pressed
          }
        } catch (IOException | RuntimeException e) {
          failed(e); // also what nobody thought of: an agent that hears nothing is worse
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void failed(Exception e) throws InterruptedException {
    if (retry.first()) {
      AgentLog.say("the API server does not answer, trying again: " + reason(e));
    }
    disconnect();
    Thread.sleep(retry.nextMillis());
  }

  private static String reason(Exception e) {
    return e instanceof IOException ? String.valueOf(e.getMessage()) : e.toString();
  }

  private void disconnect() {
    if (link != null) {
      link.close();
      link = null;
    }
  }

  private ApiLink connected() throws IOException {
    if (link == null || !link.reusable()) {
      disconnect();
      link = connector.open();
    }
    return link;
  }

  private GroupOrders read() throws IOException {
    Reply reply = connected().get(collection, connector.token());
    int length = readAll(reply.body());
    if (reply.status() != 200) {
      throw refused("read", reply.status(), length);
    }
    Map<String, @Nullable Object> list = JsonScan.object(buffer, length, JobSetReading.SKIPPED);
    version = JsonScan.text(list, "metadata", "resourceVersion");
    retry.succeeded();
    var items = JsonScan.list(list, "items");
    return JobSetReading.orders(items.isEmpty() ? null : items.get(0), place);
  }

  private IOException refused(String what, int status, int length) {
    return new IOException(
        "cannot " + what + " the JobSet: " + ApiStatus.message(status, buffer, length));
  }

  /** Returns when the server ends the watch in good order. */
  private void watch(Consumer<GroupOrders> news) throws IOException {
    int seconds = WATCH_SECONDS + ThreadLocalRandom.current().nextInt(WATCH_SECONDS);
    ApiLink stream = connected();
    stream.wire().noticeLostPeer();
    Reply reply =
        stream.get(
            collection
                + "&watch=true&allowWatchBookmarks=true&timeoutSeconds="
                + seconds
                + "&resourceVersion="
                + version,
            connector.token());
    if (reply.status() != 200) {
      int length = readAll(reply.body());
      if (reply.status() == GONE) {
        version = "";
        return;
      }
      throw refused("watch", reply.status(), length);
    }
    stream.wire().patience(Duration.ofSeconds(seconds + 30));
    var lines = new Lines(reply.body());
    for (int length = lines.next(); length >= 0; length = lines.next()) {
      if (!event(JsonScan.object(buffer, length, JobSetReading.SKIPPED), news)) {
        disconnect(); // what follows an error is of no use
        return;
      }
      retry.succeeded();
    }
  }

  /** Whether the watch goes on. */
  private boolean event(Map<String, @Nullable Object> event, Consumer<GroupOrders> news)
      throws IOException {
    String type = JsonScan.text(event, "type");
    Object object = JsonScan.at(event, "object");
    if (type.equals("ERROR")) {
      if (JsonScan.at(object, "code") instanceof Long code && code == GONE) {
        version = "";
        return false;
      }
      throw new IOException("the watch ended: " + JsonScan.text(object, "message"));
    }
    version = JsonScan.text(object, "metadata", "resourceVersion");
    if (type.equals("DELETED")) {
      news.accept(GroupOrders.UNKNOWN);
    } else if (!type.equals("BOOKMARK")) {
      news.accept(JobSetReading.orders(object, place));
    }
    return true;
  }

  private int readAll(InputStream body) throws IOException {
    int length = 0;
    for (int got = 0; got >= 0; length += Math.max(0, got)) {
      makeRoom(length);
      got = body.read(buffer, length, buffer.length - length);
    }
    return length;
  }

  private void makeRoom(int length) throws IOException {
    if (length == buffer.length) {
      if (length >= LARGEST_EVENT) {
        throw new IOException("an answer of more than " + LARGEST_EVENT + " bytes");
      }
      buffer = Arrays.copyOf(buffer, length * 2);
    }
  }

  /** The events of a watch, one a line, each at the beginning of the buffer in its turn. */
  private final class Lines {

    private final InputStream body;
    private int filled; // bytes in the buffer
    private int taken; // of them belonging to the line handed out

    Lines(InputStream body) {
      this.body = body;
    }

    /** The length of the next line, or -1 at the end. */
    int next() throws IOException {
      System.arraycopy(buffer, taken, buffer, 0, filled - taken);
      filled -= taken;
      taken = 0;
      for (int seen = 0; true; ) {
        for (; seen < filled; seen++) {
          if (buffer[seen] == '\n') {
            taken = seen + 1;
            return seen;
          }
        }
        makeRoom(filled);
        int got = body.read(buffer, filled, buffer.length - filled);
        if (got < 0) {
          return -1;
        }
        filled += got;
      }
    }
  }
}
