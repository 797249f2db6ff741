package dev.regroup.client.controller;

import static dev.regroup.client.FakeApi.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Eventually;
import dev.regroup.client.FakeApi;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.testing.ExpectsError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ControllerLoopTest {

  private final FakeApi api = new FakeApi();
  private final List<String> passes = new CopyOnWriteArrayList<>();

  private static String value(ObjectNode pod) {
    return pod.at("/spec/value").asText();
  }

  private Outcome pass(String key) {
    passes.add(key);
    return Outcome.settled();
  }

  @Test
  void two_controllers_read_one_watch_and_each_revision_is_one_tree() throws Exception {
    var trees = ConcurrentHashMap.<ObjectNode>newKeySet();
    try (var feeds = new SharedFeeds(api, new Random(1));
        var one = controller(feeds, feeds.informer(PODS, pod -> seen(trees, pod)));
        var other = controller(feeds, feeds.informer(PODS, pod -> seen(trees, pod)))) {
      feeds.start();
      Eventually.holds("it watches", () -> api.watches() == 1);
      for (int i = 0; i < 10; i++) {
        api.put("a", "x" + i, "1");
      }

      Eventually.holds("both have looked at each", () -> passes.size() == 20);
      assertThat(api.watches()).isEqualTo(1);
      assertThat(trees).hasSize(10);
      Eventually.holds("both are at rest", () -> one.idle() && other.idle());
      assertThat(passes).as("each has looked once at each").hasSize(20);
    }
  }

  private dev.regroup.client.queue.WorkQueue<String> controller(
      SharedFeeds feeds, Informer<String> cache) {
    return feeds.<String>loop("test", 1).wakes(cache, this::name).run(this::pass);
  }

  private Optional<String> name(Item<String> pod) {
    return Optional.of(pod.key().name());
  }

  private static String seen(java.util.Set<ObjectNode> trees, ObjectNode pod) {
    trees.add(pod);
    return value(pod);
  }

  @Test
  void the_first_pass_begins_when_every_cache_is_full() throws Exception {
    api.put("a", "x", "1");
    api.down(true);
    try (var feeds = new SharedFeeds(api, new Random(1))) {
      var cache = feeds.<String>informer(PODS, ControllerLoopTest::value);
      var full = new AtomicBoolean(true);
      try (var queue =
          feeds
              .<String>loop("test", 4)
              .reads(cache)
              .run(key -> {
                full.compareAndSet(true, cache.get(new ObjectKey("a", "x")).isPresent());
                return pass(key);
              })) {
        feeds.start();
        queue.add("early");
        Eventually.holds("it was tried in vain", () -> api.requests().size() > 1);
        assertThat(passes).isEmpty();

        api.down(false);

        Eventually.holds("the pass was made", () -> passes.equals(List.of("early")));
        assertThat(full).isTrue();
      }
    }
  }

  @Test
  void closing_ends_workers_that_still_wait_for_their_caches() {
    api.down(true);
    var feeds = new SharedFeeds(api, new Random(1));
    var queue = controller(feeds, feeds.informer(PODS, ControllerLoopTest::value));
    feeds.start();

    queue.close();
    feeds.close();

    assertThat(passes).isEmpty();
  }

  @Test
  @ExpectsError(value = "met a bug and lists again", because = "one of the readers throws")
  void who_cannot_read_an_object_does_not_keep_it_from_the_others() throws Exception {
    var poisoned = new AtomicBoolean(true);
    api.put("a", "x", "1");
    try (var feeds = new SharedFeeds(api, new Random(1))) {
      var broken =
          feeds.<String>informer(
              PODS,
              pod -> {
                if (poisoned.get()) {
                  throw new IllegalStateException("by the test");
                }
                return value(pod);
              });
      var sound = feeds.<String>informer(PODS, ControllerLoopTest::value);
      feeds.start();

      sound.awaitSynced(Duration.ofSeconds(20));
      Eventually.holds("it watches all the same", () -> api.watches() == 1);
      assertThat(broken.synced()).isFalse();

      poisoned.set(false);
      api.endStreams();

      assertThat(broken.awaitSynced(Duration.ofSeconds(20))).isTrue();
      assertThat(broken.get(new ObjectKey("a", "x"))).isPresent();
    }
  }
}
