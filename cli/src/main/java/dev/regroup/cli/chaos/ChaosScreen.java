package dev.regroup.cli.chaos;

import dev.regroup.cli.run.RunScreen;
import dev.regroup.rules.progress.StepLines;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Listens at the screen of a run: reads the steps in the output, which a status tells seconds
 * later, and wakes whoever waits for news. Shows everything unchanged. Any thread.
 */
public final class ChaosScreen implements RunScreen {

  private final RunScreen screen;
  private final Supplier<StepLines> reader;
  private final Map<String, StepLines> readers = new ConcurrentHashMap<>();
  private final AtomicLong step = new AtomicLong(-1);
  private final Semaphore news = new Semaphore(0);

  /**
   * @param reader a new one for each pod
   */
  public ChaosScreen(RunScreen screen, Supplier<StepLines> reader) {
    this.screen = screen;
    this.reader = reader;
  }

  /** The highest step that was told, -1 without one. */
  long step() {
    return step.get();
  }

  /** Waits for anything new, at most so long. */
  void await(Duration limit) throws InterruptedException {
    if (news.tryAcquire(Math.max(1, limit.toNanos()), TimeUnit.NANOSECONDS)) {
      news.drainPermits();
    }
  }

  @Override
  public void said(Duration since, String line) {
    screen.said(since, line);
  }

  @Override
  public void output(Source source, Instant at, String line) {
    screen.output(source, at, line);
    var lines = readers.computeIfAbsent(source.pod(), _ -> reader.get());
    synchronized (lines) {
      lines
          .read(line, Instant.EPOCH)
          .filter(found -> found.number() > step.get())
          .ifPresent(found -> {
            step.accumulateAndGet(found.number(), Math::max);
            news.release();
          });
    }
  }

  @Override
  public void note(String line) {
    screen.note(line);
  }

  @Override
  public void changed() {
    screen.changed();
    news.release();
  }
}
