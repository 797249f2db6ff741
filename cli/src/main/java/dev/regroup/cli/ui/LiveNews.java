package dev.regroup.cli.ui;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Wire;
import dev.regroup.cli.run.ClusterEvent;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Headers;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells one page what changes, as server-sent events. Changes are gathered while a frame is made
 * and for a moment after it, so that a restart of a thousand workers is a few frames; the moment is
 * longer where a frame takes longer, so that a page never costs more than a part of a core.
 */
final class LiveNews implements Transport.Stream, WatchedCluster.Onlooker {

  private static final Duration PACE = Duration.ofMillis(100);
  private static final int REST = 3; // of the time a frame took

  private final WatchedCluster cluster;
  private final PageFrames frames;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Set<ObjectKey> changed = new HashSet<>(); // guarded by lock, as the rest
  private boolean read;
  private boolean happened;
  private boolean ended;
  private WatchedCluster.@Nullable Look look;
  private boolean began; // only the thread that pulls, as the rest
  private boolean toldAll;
  private long notBefore;

  LiveNews(WatchedCluster cluster, PageFrames frames, InstantSource clock) {
    this.cluster = cluster;
    this.frames = frames;
    this.clock = clock;
  }

  @Override
  public int status() {
    return 200;
  }

  @Override
  public Headers headers() {
    return PageFiles.guarded("text/event-stream; charset=utf-8");
  }

  @Override
  public byte @Nullable [] next() throws InterruptedException {
    try {
      var seen = begun();
      while (seen != null && await()) {
        long from = System.nanoTime();
        var frame = frames.of(seen, took(seen), clock.instant());
        toldAll = true;
        long now = System.nanoTime();
        notBefore = now + Math.max(PACE.toNanos(), REST * (now - from));
        if (frame.isPresent()) {
          return message("message", Wire.text(frame.get()));
        }
      }
      return null;
    } catch (ApiFailure | Transport.Unreachable e) {
      close();
      var said = Wire.object().put("trouble", "the cluster does not answer: " + e.getMessage());
      return message("trouble", Wire.text(said));
    }
  }

  /** Looks from the first call on; null when the page has left. */
  private WatchedCluster.@Nullable Look begun()
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (began) {
      return look;
    }
    began = true;
    var begun = cluster.look(this);
    lock.lock();
    try {
      if (ended) { // meanwhile
        begun.close();
        return null;
      }
      look = begun;
      return begun;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for something to tell; false when the page has left. */
  private boolean await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!ended && (!read || (changed.isEmpty() && !happened && toldAll))) {
        news.await();
      }
      long left = toldAll ? notBefore - System.nanoTime() : 0;
      while (!ended && left > 0) {
        left = news.awaitNanos(left);
      }
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  /** Which JobSets to look at: all in the first frame. */
  private Set<ObjectKey> took(WatchedCluster.Look seen) {
    lock.lock();
    try {
      var keys = new LinkedHashSet<ObjectKey>(toldAll ? changed : seen.all());
      changed.clear();
      happened = false;
      return keys;
    } finally {
      lock.unlock();
    }
  }

  private static byte[] message(String event, String json) {
    return ("event: " + event + "\ndata: " + json + "\n\n").getBytes(UTF_8);
  }

  @Override
  public void read() {
    tell(() -> read = true);
  }

  @Override
  public void changed(ObjectKey jobSet) {
    tell(() -> changed.add(jobSet));
  }

  @Override
  public void happened(ClusterEvent event) {
    if (frames.concerns(event)) {
      tell(() -> happened = true);
    }
  }

  private void tell(Runnable note) {
    lock.lock();
    try {
      note.run();
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      ended = true;
      if (look != null) {
        look.close();
      }
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
