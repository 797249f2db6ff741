package dev.regroup.client.queue;

import dev.regroup.client.Backoff;
import dev.regroup.client.Joins;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one handler over keys: each key by one worker at a time, many keys side by side. A key says
 * "look at this again" and carries no news, so adding it often costs one pass. A pass that throws
 * is repeated with a growing delay; whatever happens to a key, others go on.
 */
public final class WorkQueue<K> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);

  /** Looks at a key and does what is needed. */
  @FunctionalInterface
  public interface Handler<K> {
    /** Any exception means: again, later. {@code InterruptedException} only when closing. */
    Outcome handle(K key) throws Exception;
  }

  /** What the workers wait for before the first pass. */
  @FunctionalInterface
  public interface Gate {
    void await() throws InterruptedException;
  }

  /**
   * How the queue works.
   *
   * @param name for threads and log lines
   * @param firstRetry delay after the first failure of a key; it doubles with each further one
   * @param observer told of every pass
   */
  public record Settings(
      String name,
      int workers,
      Duration firstRetry,
      Duration longestRetry,
      Ticker ticker,
      PassObserver observer) {

    public Settings {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(firstRetry, "firstRetry");
      Objects.requireNonNull(longestRetry, "longestRetry");
      Objects.requireNonNull(ticker, "ticker");
      Objects.requireNonNull(observer, "observer");
      if (workers < 1) {
        throw new IllegalArgumentException("workers: must be at least 1, got " + workers);
      }
    }

    /** Retries from 5 ms to 30 s. */
    public static Settings of(String name, int workers) {
      return new Settings(
          name,
          workers,
          Duration.ofMillis(5),
          Duration.ofSeconds(30),
          Ticker.SYSTEM,
          PassObserver.NONE);
    }

    public Settings retrying(Duration first, Duration longest) {
      return new Settings(name, workers, first, longest, ticker, observer);
    }

    public Settings observedBy(PassObserver other) {
      return new Settings(name, workers, firstRetry, longestRetry, ticker, other);
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Schedule<K> schedule = new Schedule<>(); // guarded by lock
  private final Map<K, Backoff> failures = new HashMap<>(); // guarded by lock; only failing keys
  private final Settings settings;
  private final Gate gate;
  private final Handler<? super K> handler;
  private final List<Thread> workers;
  private boolean closed; // guarded by lock

  public WorkQueue(Settings settings, Handler<? super K> handler) {
    this(settings, () -> {}, handler);
  }

  public WorkQueue(Settings settings, Gate gate, Handler<? super K> handler) {
    this.settings = Objects.requireNonNull(settings, "settings");
    this.gate = Objects.requireNonNull(gate, "gate");
    this.handler = Objects.requireNonNull(handler, "handler");
    this.workers =
        IntStream.range(0, settings.workers())
            .mapToObj(i -> Thread.ofVirtual().name(settings.name() + "-" + i).start(this::run))
            .toList();
  }

  /** Has the key looked at soon. */
  public void add(K key) {
    locked(() -> schedule.add(key, Schedule.Priority.NORMAL, now()));
  }

  /** Has the key looked at before all that are not urgent. */
  public void addUrgent(K key) {
    locked(() -> schedule.add(key, Schedule.Priority.URGENT, now()));
  }

  /** Has the key looked at after this time, or earlier if something else asks for it. */
  public void addAfter(K key, Duration delay) {
    if (delay.isNegative() || delay.isZero()) {
      add(key);
      return;
    }
    locked(() -> schedule.addAt(key, due(delay)));
  }

  /** How many keys wait for a worker. */
  public int waiting() {
    lock.lock();
    try {
      return schedule.ready();
    } finally {
      lock.unlock();
    }
  }

  /** Whether no key runs, and none could run now. */
  public boolean idle() {
    lock.lock();
    try {
      return schedule.running() == 0 && schedule.ready() == 0 && !due();
    } finally {
      lock.unlock();
    }
  }

  private boolean due() {
    var next = schedule.nextDue();
    return next.isPresent() && next.getAsLong() - now() <= 0;
  }

  /** Waits for the passes under way, interrupting them, and ends the workers. */
  @Override
  public void close() {
    locked(() -> closed = true);
    workers.forEach(Thread::interrupt);
    workers.forEach(Joins::uninterruptibly);
  }

  /** Tells the workers that the ticker has moved by itself; a real one needs no telling. */
  void timePassed() {
    locked(() -> {});
  }

  private void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private long due(Duration delay) {
    long most = Long.MAX_VALUE / 4; // 73 years: far enough, and no overflow when compared
    long nanos = delay.compareTo(Duration.ofNanos(most)) > 0 ? most : delay.toNanos();
    return now() + nanos;
  }

  private long now() {
    return settings.ticker().nanos();
  }

  private void run() {
    try {
      gate.await();
      while (true) {
        var key = take();
        if (key == null) {
          return;
        }
        work(key);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() was called
    }
  }

  private @Nullable K take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        long now = now();
        var key = schedule.take(now);
        if (key.isPresent()) {
          return key.get();
        }
        long wait = schedule.nextDue().orElse(now + Long.MAX_VALUE / 2) - now;
        var _ = changed.awaitNanos(wait);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void work(K key) throws InterruptedException {
    long begin = now();
    var end = PassObserver.End.FAILED;
    var retry = Duration.ZERO; // none
    try {
      retry =
          switch (handler.handle(key)) {
            case Outcome.Settled() -> {
              end = PassObserver.End.SETTLED;
              yield Duration.ZERO;
            }
            case Outcome.TryAgain(Duration after, String because) -> {
              end = PassObserver.End.AGAIN;
              LOG.debug("{}: {} again in {}: {}", settings.name(), key, after, because);
              yield after.isZero() ? Duration.ofNanos(1) : after;
            }
          };
      locked(() -> failures.remove(key));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | Error e) { // a supervisor loop: one key must not end a worker
      retry = failed(key, e);
    } finally {
      finish(key, retry, begin, end);
    }
  }

  private Duration failed(K key, Throwable e) {
    Duration retry;
    lock.lock();
    try {
      retry =
          failures
              .computeIfAbsent(
                  key, _ -> new Backoff(settings.firstRetry(), settings.longestRetry()))
              .next();
    } finally {
      lock.unlock();
    }
    if (e instanceof RuntimeException || e instanceof Error) {
      LOG.error("{}: {} met a bug, tried again in {}", settings.name(), key, retry, e);
    } else {
      LOG.info("{}: {} failed, tried again in {}: {}", settings.name(), key, retry, e.toString());
    }
    return retry;
  }

  private void finish(K key, Duration retry, long begin, PassObserver.End end) {
    long now = now();
    long since;
    int waiting;
    lock.lock();
    try {
      since = schedule.readySince(key);
      schedule.done(key, now);
      if (!retry.isZero()) {
        schedule.addAt(key, due(retry));
      }
      waiting = schedule.ready();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    settings
        .observer()
        .passed(
            new PassObserver.Pass(
                settings.name(),
                key,
                Duration.ofNanos(begin - since),
                Duration.ofNanos(now - begin),
                waiting,
                end));
  }
}
