package dev.regroup.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.queue.Schedule.Priority;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ScheduleTest {

  private final Schedule<String> schedule = new Schedule<>();

  @Test
  void a_key_added_twice_runs_once_in_the_order_of_adding() {
    schedule.add("b", Priority.NORMAL, 0);
    schedule.add("a", Priority.NORMAL, 0);
    schedule.add("b", Priority.NORMAL, 0);

    assertThat(drain(0)).containsExactly("b", "a");
  }

  @Test
  void urgent_keys_go_first_even_when_they_waited_already() {
    schedule.add("a", Priority.NORMAL, 0);
    schedule.add("b", Priority.NORMAL, 0);
    schedule.add("c", Priority.URGENT, 0);
    schedule.add("b", Priority.URGENT, 0);
    schedule.add("c", Priority.NORMAL, 0);

    assertThat(drain(0)).containsExactly("c", "b", "a");
  }

  @Test
  void a_running_key_is_not_handed_out_again_until_it_is_done() {
    schedule.add("a", Priority.NORMAL, 0);
    assertThat(schedule.take(0)).hasValue("a");
    schedule.add("a", Priority.NORMAL, 0);
    schedule.add("a", Priority.URGENT, 0);

    assertThat(schedule.take(0)).isEmpty();
    schedule.done("a", 0);
    schedule.add("b", Priority.NORMAL, 0);

    assertThat(drain(0)).containsExactly("a", "b");
  }

  @Test
  void a_key_comes_at_the_earliest_of_its_times() {
    schedule.addAt("a", 30);
    schedule.addAt("a", 10);
    schedule.addAt("a", 20);

    assertThat(drain(9)).isEmpty();
    assertThat(schedule.nextDue()).hasValue(10);
    assertThat(drain(10)).containsExactly("a");
    assertThat(drain(40)).isEmpty();
  }

  @Test
  void a_time_that_comes_while_the_key_runs_makes_it_run_once_more() {
    schedule.add("a", Priority.NORMAL, 0);
    assertThat(schedule.take(0)).hasValue("a");
    schedule.addAt("a", 5);

    assertThat(schedule.take(6)).isEmpty();
    schedule.done("a", 0);

    assertThat(drain(6)).containsExactly("a");
  }

  @Test
  void a_key_that_runs_knows_since_when_it_could_have() {
    schedule.add("a", Priority.NORMAL, 1);
    schedule.add("b", Priority.NORMAL, 2);
    schedule.addAt("later", 5);
    schedule.add("b", Priority.URGENT, 3);
    schedule.take(10);
    schedule.take(10);
    schedule.take(10);

    assertThat(schedule.readySince("a")).isEqualTo(1);
    assertThat(schedule.readySince("b")).isEqualTo(2);
    assertThat(schedule.readySince("later")).isEqualTo(5);
  }

  @Test
  void times_compare_also_when_the_ticker_wraps_around() {
    long now = Long.MAX_VALUE - 5;
    schedule.addAt("late", now + 10); // wrapped
    schedule.addAt("soon", now + 1);

    assertThat(drain(now + 2)).containsExactly("soon");
    assertThat(drain(now + 10)).containsExactly("late");
  }

  @Test
  void no_addition_is_ever_lost_and_no_key_runs_twice_at_once() {
    for (long seed = 0; seed < 200; seed++) {
      var random = new Random(seed);
      var wanted = new HashSet<Integer>(); // added and not taken since
      var running = new ArrayList<Integer>();
      var queue = new Schedule<Integer>();
      long now = 0;
      for (int step = 0; step < 300; step++) {
        int key = random.nextInt(6);
        switch (random.nextInt(5)) {
          case 0 -> {
            queue.add(key, random.nextBoolean() ? Priority.URGENT : Priority.NORMAL, now);
            wanted.add(key);
          }
          case 1 -> {
            queue.addAt(key, now + random.nextInt(10));
            wanted.add(key);
          }
          case 2 -> now += random.nextInt(5);
          case 3 -> {
            var taken = queue.take(now);
            if (taken.isPresent()) {
              assertThat(running).as("seed %d, step %d", seed, step).doesNotContain(taken.get());
              running.add(taken.get());
            }
            taken.ifPresent(wanted::remove);
          }
          default -> {
            if (!running.isEmpty()) {
              queue.done(running.removeFirst(), now);
            }
          }
        }
      }
      for (int key : running) {
        queue.done(key, now);
      }
      for (var next = queue.take(now + 100); next.isPresent(); next = queue.take(now + 100)) {
        wanted.remove(next.get());
        queue.done(next.get(), now);
      }
      assertThat(wanted).as("seed %d", seed).isEmpty();
    }
  }

  private List<String> drain(long now) {
    var keys = new ArrayList<String>();
    for (var key = schedule.take(now); key.isPresent(); key = schedule.take(now)) {
      keys.add(key.get());
      schedule.done(key.get(), now);
    }
    return keys;
  }
}
