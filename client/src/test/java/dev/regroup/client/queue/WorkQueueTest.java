package dev.regroup.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Eventually;
import dev.regroup.testing.ExpectsError;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkQueueTest {

  private final AtomicLong now = new AtomicLong();
  private final LinkedBlockingQueue<String> passes = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<PassObserver.Pass> observed = new LinkedBlockingQueue<>();

  private WorkQueue.Settings byHand(int workers) {
    return new WorkQueue.Settings(
        "test", workers, Duration.ofMillis(5), Duration.ofMillis(30), now::get, observed::add);
  }

  private void pass(WorkQueue<?> queue, Duration time) {
    now.addAndGet(time.toNanos());
    queue.timePassed();
  }

  private String next() throws InterruptedException {
    var key = passes.poll(20, TimeUnit.SECONDS);
    return key == null ? "nothing within 20 seconds" : key;
  }

  @Test
  void a_key_is_handled_and_then_left_alone() throws Exception {
    try (var queue = new WorkQueue<String>(byHand(2), this::settle)) {
      queue.add("a");

      assertThat(next()).isEqualTo("a");
      Eventually.holds("nothing waits", () -> queue.waiting() == 0);
      assertThat(passes).isEmpty();
    }
  }

  @Test
  void an_observer_hears_how_long_a_key_waited_and_how_long_its_pass_took() throws Exception {
    try (var queue =
        new WorkQueue<String>(
            byHand(1),
            key -> {
              now.addAndGet(Duration.ofMillis(3).toNanos());
              if (key.equals("bad")) {
                throw new IOException("by the test");
              }
              return Outcome.settled();
            })) {
      queue.addAfter("good", Duration.ofMillis(2));
      pass(queue, Duration.ofMillis(6));
      var good = observed.poll(20, TimeUnit.SECONDS);
      queue.add("bad");
      var bad = observed.poll(20, TimeUnit.SECONDS);

      assertThat(good)
          .isEqualTo(
              new PassObserver.Pass(
                  "test",
                  "good",
                  Duration.ofMillis(4),
                  Duration.ofMillis(3),
                  0,
                  PassObserver.End.SETTLED));
      assertThat(bad).extracting(PassObserver.Pass::end).isEqualTo(PassObserver.End.FAILED);
    }
  }

  private Outcome settle(String key) {
    passes.add(key);
    return Outcome.settled();
  }

  @Test
  void try_again_comes_after_its_time_and_not_before() throws Exception {
    var outcomes =
        new LinkedBlockingQueue<>(
            List.of(Outcome.tryAgain(Duration.ofSeconds(1), "not ready"), Outcome.settled()));
    try (var queue =
        new WorkQueue<String>(
            byHand(1),
            key -> {
              passes.add(key);
              return outcomes.take();
            })) {
      queue.add("a");
      assertThat(next()).isEqualTo("a");
      queue.add("b"); // goes through the same worker: when it is handled, "a" was not

      outcomes.add(Outcome.settled());
      assertThat(next()).isEqualTo("b");
      pass(queue, Duration.ofMillis(999));
      queue.add("c");
      outcomes.add(Outcome.settled());
      assertThat(next()).isEqualTo("c");

      pass(queue, Duration.ofMillis(1));
      assertThat(next()).isEqualTo("a");
    }
  }

  /** JB-40. */
  @Test
  void a_failing_key_is_tried_again_ever_more_rarely_and_forgiven_when_it_succeeds()
      throws Exception {
    var failing = new AtomicInteger(5);
    var finished = new AtomicInteger();
    try (var queue =
        new WorkQueue<String>(
            byHand(1),
            key -> {
              passes.add(key + " at " + TimeUnit.NANOSECONDS.toMillis(now.get()));
              if (failing.getAndDecrement() > 0) {
                throw new IOException("disk on holiday");
              }
              finished.incrementAndGet();
              return Outcome.settled();
            })) {
      queue.add("a");
      var times = new ArrayList<String>();
      times.add(next());
      for (int i = 0; i < 5; i++) {
        int handled = i + 1;
        times.add(nextAfterSteps(queue, handled));
      }

      // 5, 10, 20, then the limit of 30
      assertThat(times)
          .containsExactly("a at 0", "a at 5", "a at 15", "a at 35", "a at 65", "a at 95");
      Eventually.holds("it succeeded", () -> finished.get() == 1);
      failing.set(1);
      queue.add("a");
      assertThat(next()).isEqualTo("a at 95");
      assertThat(nextAfterSteps(queue, 0)).isEqualTo("a at 100");
    }
  }

  /** Moves time by single milliseconds until the next pass, each only when the queue is at rest. */
  private String nextAfterSteps(WorkQueue<String> queue, int handled) throws InterruptedException {
    for (int step = 0; step < 100; step++) {
      Eventually.holds("pass %d is over".formatted(handled), queue::idle);
      var key = passes.poll();
      if (key != null) {
        return key;
      }
      pass(queue, Duration.ofMillis(1));
      Eventually.holds("the queue has looked at the time", queue::idle);
    }
    return "nothing within 100 ms";
  }

  @Test
  @ExpectsError(value = "test: (error|bug) met a bug", because = "the handler throws")
  void an_exception_of_any_kind_does_not_end_a_worker() throws Exception {
    try (var queue =
        new WorkQueue<String>(
            byHand(1),
            key -> {
              passes.add(key);
              switch (key) {
                case "error" -> throw new StackOverflowError();
                case "bug" -> throw new IllegalStateException("bug");
                default -> throw new Exception("world");
              }
            })) {
      for (var key : List.of("error", "bug", "world")) {
        queue.add(key);
        assertThat(next()).isEqualTo(key);
      }
    }
  }

  /** JS-71. */
  @Test
  void a_key_never_runs_twice_at_once_and_the_last_change_is_always_seen() throws Exception {
    var current = new AtomicIntegerArray(20); // what a pass should see, by key
    var seen = new ConcurrentHashMap<Integer, Integer>();
    var running = ConcurrentHashMap.<Integer>newKeySet();
    var overlaps = new AtomicInteger();
    try (var queue =
        new WorkQueue<Integer>(
            WorkQueue.Settings.of("stress", 4),
            key -> {
              if (!running.add(key)) {
                overlaps.incrementAndGet();
              }
              seen.put(key, current.get(key));
              running.remove(key);
              return Outcome.settled();
            })) {
      var adders = new ArrayList<Thread>();
      for (int t = 0; t < 4; t++) {
        adders.add(
            Thread.ofVirtual()
                .start(() -> {
                  for (int i = 0; i < 20_000; i++) {
                    current.incrementAndGet(i % 20);
                    if (i % 3 == 0) {
                      queue.addUrgent(i % 20);
                    } else {
                      queue.add(i % 20);
                    }
                  }
                }));
      }
      for (var adder : adders) {
        adder.join();
      }

      Eventually.holds(
          "every key was seen in its last state",
          () ->
              IntStream.range(0, current.length())
                  .allMatch(key -> seen.getOrDefault(key, -1) == current.get(key)));
      assertThat(overlaps).hasValue(0);
    }
  }

  @Test
  void different_keys_run_side_by_side() throws Exception {
    var together = new CountDownLatch(3);
    try (var queue =
        new WorkQueue<String>(
            byHand(3),
            key -> {
              together.countDown();
              together.await(); // only possible when all three are here
              passes.add(key);
              return Outcome.settled();
            })) {
      queue.add("a");
      queue.add("b");
      queue.add("c");

      assertThat(List.of(next(), next(), next())).containsExactlyInAnyOrder("a", "b", "c");
    }
  }

  @Test
  void closing_interrupts_the_pass_under_way_and_ends_the_workers() throws Exception {
    var interrupted = new CountDownLatch(1);
    var started = new CountDownLatch(1);
    var queue =
        new WorkQueue<String>(
            byHand(2),
            _ -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
              return Outcome.settled();
            });
    queue.add("a");
    started.await();

    queue.close();

    assertThat(interrupted.getCount()).isZero();
    queue.add("b"); // no effect, no harm
  }
}
