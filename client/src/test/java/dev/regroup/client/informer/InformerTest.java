package dev.regroup.client.informer;

import static dev.regroup.client.FakeApi.PODS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Eventually;
import dev.regroup.client.FakeApi;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.testing.ExpectsError;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@ExpectsError(value = "A listener of pods failed at", because = "listeners fail on purpose")
class InformerTest {

  private final FakeApi api = new FakeApi();
  private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

  private Informer<String> informer() {
    return new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(1))
        .index("value", item -> List.of(item.value()))
        .listen(this::tell);
  }

  private static String value(ObjectNode pod) {
    return pod.at("/spec/value").asText();
  }

  private void tell(Delta<String> delta) {
    told.add(
        switch (delta) {
          case Delta.Added<String>(Item<String> item) -> "+" + item.key() + " " + item.value();
          case Delta.Updated<String>(Item<String> before, Item<String> item) ->
              item.key() + " " + before.value() + ">" + item.value();
          case Delta.Removed<String>(Item<String> before) ->
              "-" + before.key() + " " + before.value();
        });
  }

  private String next() throws InterruptedException {
    var text = told.poll(20, TimeUnit.SECONDS);
    return text == null ? "nothing within 20 seconds" : text;
  }

  private static void awaitSynced(Informer<?> informer) throws InterruptedException {
    assertThat(informer.awaitSynced(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void tells_what_is_there_and_then_every_change_in_order() throws Exception {
    api.put("a", "x", "1");
    try (var informer = informer().start()) {
      awaitSynced(informer);
      assertThat(told).containsExactly("+a/x 1");
      told.clear();

      api.put("a", "x", "2");
      api.put("b", "y", "1");
      api.remove("a", "x");

      assertThat(List.of(next(), next(), next())).containsExactly("a/x 1>2", "+b/y 1", "-a/x 2");
      assertThat(informer.all()).extracting(Item::key).containsExactly(new ObjectKey("b", "y"));
    }
  }

  @Test
  void finds_items_by_index_also_after_they_moved() throws Exception {
    for (int i = 0; i < 4; i++) {
      api.put("a", "p" + i, "old");
    }
    try (var informer = informer().start()) {
      awaitSynced(informer);
      api.put("a", "p1", "new");
      api.remove("a", "p2");
      Eventually.holds("both are known", () -> informer.count("value", "old") == 2);

      assertThat(informer.find("value", "old"))
          .extracting(item -> item.key().name())
          .containsExactly("p0", "p3");
      assertThat(informer.find("value", "new")).hasSize(1);
      assertThat(informer.find("value", "other")).isEmpty();
      assertThatThrownBy(() -> informer.find("colour", "red"))
          .hasMessageContaining("none named \"colour\"");
    }
  }

  @Test
  void large_lists_come_in_pages() throws Exception {
    for (int i = 0; i < 1_234; i++) {
      api.put("a", "p" + i, "v");
    }
    try (var informer = informer().start()) {
      awaitSynced(informer);

      assertThat(informer.size()).isEqualTo(1_234);
      assertThat(api.requests()).hasSizeGreaterThanOrEqualTo(3);
      assertThat(api.requests().getFirst().query()).isEqualTo("limit=500");
    }
  }

  @Test
  void after_a_lost_watch_it_tells_exactly_the_differences() throws Exception {
    api.put("a", "changed", "1");
    api.put("a", "gone", "1");
    api.put("a", "same", "1");
    api.put("a", "replaced", "1");
    try (var informer = informer().start()) {
      awaitSynced(informer);
      Eventually.holds("it watches", () -> api.watches() == 1);
      told.clear();

      api.down(true);
      api.breakStreams();
      api.put("a", "changed", "2");
      api.put("a", "new", "1");
      api.remove("a", "gone");
      api.remove("a", "replaced");
      api.put("a", "replaced", "2");
      api.forget();
      api.down(false);

      assertThat(List.of(next(), next(), next(), next(), next()))
          .containsExactly(
              "-a/gone 1", "a/changed 1>2", "+a/new 1", "-a/replaced 1", "+a/replaced 2");
      Eventually.holds("it watches again", () -> api.watches() == 1);
      assertThat(told).isEmpty();
    }
  }

  @Test
  void a_watch_that_ends_goes_on_where_it_was_without_a_list() throws Exception {
    api.put("a", "x", "1");
    try (var informer = informer().start()) {
      awaitSynced(informer);
      Eventually.holds("it watches", () -> api.watches() == 1);
      api.put("a", "x", "2");
      api.bookmark();
      api.put("a", "x", "3");
      Eventually.holds("all is known", () -> told.size() == 3);

      api.endStreams();
      Eventually.holds("it watches again", () -> api.watches() == 1);
      api.put("a", "x", "4");

      Eventually.holds("all is known", () -> told.size() == 4);
      assertThat(told).containsExactly("+a/x 1", "a/x 1>2", "a/x 2>3", "a/x 3>4");
      assertThat(api.requests().stream().filter(r -> !r.query().contains("watch=true"))).hasSize(1);
      assertThat(api.requests().getLast().query()).contains("resourceVersion=14");
    }
  }

  @Test
  void an_error_in_the_stream_or_as_an_answer_makes_it_list_again() throws Exception {
    try (var informer = informer().start()) {
      awaitSynced(informer);
      Eventually.holds("it watches", () -> api.watches() == 1);

      api.expireStreams();
      Eventually.holds("it listed again", () -> lists() == 2 && api.watches() == 1);
      synchronized (api) { // it cannot watch again before the change is forgotten
        api.endStreams();
        api.put("a", "x", "1");
        api.forget();
      }

      assertThat(next()).isEqualTo("+a/x 1");
      assertThat(lists()).isEqualTo(3);
      Eventually.holds("it watches again", () -> api.watches() == 1);
      assertThat(told).isEmpty();
    }
  }

  private long lists() {
    return api.requests().stream().filter(r -> !r.query().contains("watch=true")).count();
  }

  @Test
  void a_bookmark_moves_it_past_what_the_server_forgets() throws Exception {
    try (var informer = informer().start()) {
      awaitSynced(informer);
      Eventually.holds("it watches", () -> api.watches() == 1);
      api.put("a", "x", "1");
      api.bookmark();
      api.put("a", "x", "2");
      Eventually.holds("it has read the bookmark", () -> told.size() == 2);
      api.forget();
      api.endStreams();
      Eventually.holds("it watches again", () -> api.watches() == 1);

      assertThat(lists()).isEqualTo(1);
    }
  }

  @Test
  void a_listener_that_fails_harms_nobody_else() throws Exception {
    var informer =
        new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(1))
            .listen(_ -> {
              throw new IllegalStateException("bug");
            })
            .listen(this::tell);
    try (informer) {
      informer.start();
      awaitSynced(informer);
      api.put("a", "x", "1");

      assertThat(next()).isEqualTo("+a/x 1");
    }
  }

  @Test
  void a_listener_that_failed_is_told_again_until_it_succeeds() throws Exception {
    var failures = new AtomicInteger(3);
    var others = new AtomicBoolean(); // have been told
    var informer =
        new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(1))
            .listen(delta -> {
              boolean late = delta.key().name().equals("x");
              if (late && (failures.getAndDecrement() > 0 || !others.get())) {
                throw new IllegalStateException("the disk is full");
              }
              tell(delta);
              others.set(true);
            });
    try (informer) {
      api.put("a", "x", "1");
      api.put("a", "y", "1");
      informer.start();
      awaitSynced(informer);

      assertThat(next()).as("others do not wait").isEqualTo("+a/y 1");
      assertThat(next()).isEqualTo("+a/x 1");
      api.put("a", "x", "2");
      assertThat(next()).isEqualTo("a/x 1>2");
    }
  }

  @Test
  void a_listener_that_failed_is_told_from_where_it_last_succeeded() throws Exception {
    var broken = new AtomicBoolean();
    var tries = new AtomicInteger();
    var informer =
        new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(1))
            .listen(delta -> {
              tries.incrementAndGet();
              if (broken.get()) {
                throw new IllegalStateException("the disk is full");
              }
              tell(delta);
            });
    try (informer) {
      api.put("a", "gone", "1");
      api.put("a", "replaced", "1");
      api.put("a", "x", "1");
      informer.start();
      awaitSynced(informer);
      told.clear();

      broken.set(true);
      tries.set(0);
      api.put("a", "x", "2");
      api.put("a", "x", "3");
      api.put("a", "never", "1");
      api.remove("a", "never");
      api.remove("a", "gone");
      api.remove("a", "replaced");
      api.put("a", "replaced", "2");
      Eventually.holds("all is known", () -> isKnown(informer, "replaced", "2"));
      Eventually.holds("all was tried", () -> tries.get() >= 6);
      broken.set(false);

      assertThat(List.of(next(), next(), next(), next()))
          .containsExactlyInAnyOrder("a/x 1>3", "-a/gone 1", "-a/replaced 1", "+a/replaced 2");
      api.put("a", "last", "1");
      assertThat(next()).as("what came and went unseen is not told").isEqualTo("+a/last 1");
    }
  }

  private static boolean isKnown(Informer<String> informer, String name, String value) {
    return informer.get(new ObjectKey("a", name)).map(Item::value).equals(Optional.of(value));
  }

  @Test
  void an_error_in_a_listener_is_no_end_either() throws Exception {
    var failures = new AtomicInteger(3);
    var informer =
        new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(1))
            .listen(delta -> {
              if (failures.getAndDecrement() > 0) {
                throw new NoClassDefFoundError("left out of the package");
              }
              tell(delta);
            });
    try (informer) {
      informer.start();
      awaitSynced(informer);
      api.put("a", "x", "1");
      api.put("a", "y", "1");

      assertThat(List.of(next(), next())).containsExactlyInAnyOrder("+a/x 1", "+a/y 1");
    }
  }

  @Test
  void a_listener_that_always_fails_ends_with_the_informer() throws Exception {
    var tries = new AtomicInteger();
    var informer =
        new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(1))
            .listen(_ -> {
              tries.incrementAndGet();
              throw new IllegalStateException("bug");
            });
    api.put("a", "x", "1");
    informer.start();
    Eventually.holds("it is told again", () -> tries.get() > 2);
    informer.close();
    int then = tries.get();

    assertThat(tries).hasValue(then);
  }

  @Test
  void closing_ends_the_watch_and_the_thread_also_while_the_server_is_away() throws Exception {
    var informer = informer().start();
    awaitSynced(informer);
    Eventually.holds("it watches", () -> api.watches() == 1);
    informer.close();
    assertThat(api.watches()).isZero();

    api.down(true);
    var lonely = informer().start();
    assertThat(lonely.awaitSynced(Duration.ofMillis(1))).isFalse();
    lonely.close();
    assertThat(lonely.synced()).isFalse();
  }

  @Test
  void whatever_breaks_the_deltas_always_add_up_to_the_state_of_the_server() throws Exception {
    for (long seed = 1; seed <= 5; seed++) {
      chaos(seed);
    }
  }

  private static void chaos(long seed) throws InterruptedException {
    var api = new FakeApi();
    var random = new Random(seed);
    var chance = new Random(-seed);
    Map<String, String> mirror =
        new ConcurrentSkipListMap<>(); // made of deltas only, by the informer's thread
    var wrong = new LinkedBlockingQueue<String>();
    var informer =
        new Informer<>(api, PODS, ListQuery.ALL, InformerTest::value, new Random(seed))
            .listen(delta -> {
              if (chance.nextInt(10) == 0) {
                throw new IllegalStateException("by chance");
              }
              apply(delta, mirror, wrong);
            });
    try (informer) {
      informer.start();
      for (int step = 0; step < 400; step++) {
        var name = "p" + random.nextInt(8);
        switch (random.nextInt(20)) {
          case 0 -> api.breakStreams();
          case 1 -> api.endStreams();
          case 2 -> api.forget();
          case 3 -> api.bookmark();
          case 4 -> api.down(true);
          case 5, 6, 7, 8 -> api.remove("a", name);
          default -> api.put("a", name, "v" + step);
        }
        if (random.nextInt(3) == 0) {
          api.down(false);
        }
        if (random.nextInt(10) == 0) {
          Thread.sleep(Duration.ofMillis(random.nextInt(5)));
        }
      }
      api.down(false);
      api.put("a", "last", "done");
      Eventually.holds(
          "seed %d: the last change arrived".formatted(seed),
          () -> informer.get(new ObjectKey("a", "last")).isPresent());
      Eventually.holds(
          "seed %d: who failed caught up".formatted(seed), () -> mirror.equals(api.state()));
    }
    assertThat(wrong).as("seed %d", seed).isEmpty();
    assertThat(mirror).as("seed %d", seed).isEqualTo(api.state());
  }

  private static void apply(
      Delta<String> delta, Map<String, String> mirror, LinkedBlockingQueue<String> wrong) {
    var key = delta.key().toString();
    var before = delta.old().map(Item::value).orElse(null);
    var found =
        delta.now().isPresent() ? mirror.put(key, delta.now().get().value()) : mirror.remove(key);
    if (!java.util.Objects.equals(found, before)) {
      wrong.add("%s: told %s, had %s".formatted(delta, before, found));
    }
  }
}
