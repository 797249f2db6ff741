package dev.regroup.client.lease;

import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Joins;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.queue.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands for election until {@link #close}. One virtual thread looks at the Lease, takes it when it
 * is free, then renews it. {@code elected} is called once, on that thread; {@code lost} when the
 * Lease could not be renewed in time or somebody else has it: whoever led must stop at once, and
 * this object stands no more. Closing gives the Lease back.
 */
public final class LeaderLease implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LeaderLease.class);

  /** So often a lease is tried to be given back; one write may have been under way. */
  private static final int RELEASES = 3;

  /**
   * How long things take.
   *
   * @param duration a Lease that was not renewed for so long is free
   * @param deadline a leader that could not renew for so long leads no more
   * @param retry between two looks
   */
  public record Times(Duration duration, Duration deadline, Duration retry) {

    /** JS-171. */
    public static final Times STANDARD =
        new Times(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));

    public Times {
      if (duration.compareTo(deadline) <= 0 || deadline.compareTo(retry) <= 0) {
        throw new IllegalArgumentException(
            "a lease lasts longer (%s) than its renewal may take (%s), and that longer than a retry"
                    .formatted(duration, deadline)
                + " (%s)".formatted(retry));
      }
    }
  }

  /** What the candidate tells the program it belongs to. */
  public interface Listener {
    void elected();

    void lost();
  }

  /**
   * Who stands for what.
   *
   * @param identity tells this candidate from all others
   * @param labels of the Lease
   * @param notes annotations of the Lease while it leads, asked for with each renewal
   */
  public record Candidate(
      ObjectKey lease,
      String identity,
      Times times,
      Map<String, String> labels,
      Supplier<Map<String, String>> notes) {
    public Candidate {
      Objects.requireNonNull(lease, "lease");
      Objects.requireNonNull(identity, "identity");
      Objects.requireNonNull(times, "times");
      labels = Map.copyOf(labels);
      Objects.requireNonNull(notes, "notes");
    }
  }

  private final ApiClient client;
  private final Candidate candidate;
  private final Listener listener;
  private final InstantSource clock;
  private final Ticker ticker;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private volatile LeaseView view; // of whoever asks: one at a time
  private volatile boolean wrote; // it may hold the lease without having heard so
  private volatile boolean leading;
  private boolean givingBack; // guarded by closing: from here on nobody interrupts

  public LeaderLease(
      Transport transport,
      Candidate candidate,
      Listener listener,
      InstantSource clock,
      Ticker ticker) {
    this.client = new ApiClient(transport);
    this.candidate = candidate;
    this.listener = listener;
    this.clock = clock;
    this.ticker = ticker;
    this.view = new LeaseView(LeaseRecord.NONE, ticker.nanos());
    this.thread = Thread.ofVirtual().name("leader-lease").start(this::run);
  }

  public boolean leading() {
    return leading;
  }

  @Override
  public void close() {
    closing.countDown();
    synchronized (closing) {
      if (!givingBack) { // the latch may have been faster
        thread.interrupt();
      }
    }
    Joins.uninterruptibly(thread);
  }

  private void run() {
    try {
      if (acquire()) {
        leading = true;
        LOG.info("{} leads by lease {}", candidate.identity(), candidate.lease());
        listener.elected();
        renew();
        leading = false;
        wrote = false; // somebody else holds it, or nobody can be told
        if (!isClosing()) {
          LOG.warn("{} no longer leads", candidate.identity());
          listener.lost();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() was called
    } finally {
      leading = false;
      if (wrote) {
        release();
      }
    }
  }

  /** False when it was closed before. */
  private boolean acquire() throws InterruptedException {
    while (!isClosing()) {
      if (attempt()) {
        return true;
      }
      if (pause()) {
        return false;
      }
    }
    return false;
  }

  /** Returns when the lease is lost or given up. */
  private void renew() throws InterruptedException {
    long renewed = ticker.nanos();
    try {
      while (!pause()) {
        long left = candidate.times().deadline().toNanos() - (ticker.nanos() - renewed);
        if (attemptWithin(Math.max(left, candidate.times().retry().toNanos()))) {
          renewed = ticker.nanos();
        } else if (left <= 0 || !view.record().heldBy(candidate.identity())) {
          return;
        }
      }
    } catch (TimeoutException e) {
      LOG.warn("lease {}: the API server does not answer", candidate.lease());
      return;
    }
    throw new InterruptedException(); // closing: the lease is still ours to give back
  }

  private boolean attemptWithin(long nanos) throws InterruptedException, TimeoutException {
    var attempt = new FutureTask<>(this::attempt);
    var asking = Thread.ofVirtual().name("leader-lease-renewal").start(attempt);
    try {
      return attempt.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("lease " + candidate.lease(), e.getCause());
    } finally {
      asking.interrupt();
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Waits for the next look; true when there is none. */
  private boolean pause() throws InterruptedException {
    return closing.await(candidate.times().retry().toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Looks, and writes itself in when it may; true when it holds the lease now. */
  private boolean attempt() throws InterruptedException {
    try {
      var stored = client.get(Kinds.LEASES, candidate.lease()).map(LeaseRecord::read);
      view = view.seen(stored.orElse(LeaseRecord.NONE), ticker.nanos());
      if (!view.free(candidate.identity(), ticker.nanos(), candidate.times().duration())) {
        return false;
      }
      wrote = true;
      write(view.record().heldBy(candidate.identity(), clock.instant()));
      return true;
    } catch (ApiFailure failure) {
      if (!failure.conflict() && !failure.alreadyExists()) {
        LOG.warn("lease {}: {}", candidate.lease(), failure.getMessage());
      }
      return false; // somebody was faster, or we may not
    } catch (Transport.Unreachable e) {
      LOG.info("lease {}: {}", candidate.lease(), e.getMessage());
      return false;
    }
  }

  private void write(LeaseRecord wanted)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key = candidate.lease();
    var seconds = candidate.times().duration().toSeconds();
    var object =
        wanted.object(
            key.namespace(), key.name(), seconds, candidate.labels(), candidate.notes().get());
    var written =
        wanted.exists()
            ? client.update(Kinds.LEASES, key, object)
            : client.create(Kinds.LEASES, key.namespace(), object);
    view = view.seen(LeaseRecord.read(written), ticker.nanos());
  }

  /**
   * On a thread that is being ended: the flag is put back afterwards. What is stored is looked at,
   * since the end may have come between a write and its answer.
   */
  private void release() {
    synchronized (closing) {
      givingBack = true;
    }
    boolean interrupted = Thread.interrupted();
    try {
      boolean given = false;
      for (int i = 0; i < RELEASES && !given; i++) {
        given = giveBack();
      }
    } catch (ApiFailure | Transport.Unreachable e) {
      LOG.info("lease {} was not given back: {}", candidate.lease(), e.getMessage());
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** False when it has changed meanwhile: a renewal that the end cut off may arrive after all. */
  private boolean giveBack() throws ApiFailure, Transport.Unreachable, InterruptedException {
    var stored = client.get(Kinds.LEASES, candidate.lease()).map(LeaseRecord::read);
    if (stored.isEmpty() || !stored.get().heldBy(candidate.identity())) {
      return true;
    }
    try {
      write(stored.get().releasedAt(clock.instant()));
      return true;
    } catch (ApiFailure failure) {
      if (!failure.conflict()) {
        throw failure;
      }
      return false;
    }
  }
}
