package dev.regroup.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StartsFirstTest {

  private final StartsFirst starts = new StartsFirst();

  @Test
  void nothing_waits_while_nothing_starts() throws Exception {
    starts.begin();
    starts.end();
    long before = System.nanoTime();

    for (int i = 0; i < 1000; i++) {
      starts.awaitNone();
    }

    assertThat(System.nanoTime() - before).isLessThan(1000 * StartsFirst.PATIENCE.toNanos());
  }

  @Test
  void a_wait_ends_with_the_last_start_or_with_its_patience() throws Exception {
    starts.begin();
    starts.begin();
    var over = new CountDownLatch(1);
    long before = System.nanoTime();
    var waiting =
        Thread.ofVirtual()
            .start(() -> {
              try {
                starts.awaitNone();
                over.countDown();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    starts.end();

    boolean early = over.await(1, TimeUnit.MILLISECONDS);
    long waited = System.nanoTime() - before;
    starts.end();

    assertThat(early && waited < StartsFirst.PATIENCE.toNanos()).as("one start goes on").isFalse();
    assertThat(over.await(10, TimeUnit.SECONDS)).isTrue();
    waiting.join();
  }
}
