package dev.regroup.node.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.node.pod.StartsFirst;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StatusReporterTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  private final RecordingTransport transport = new RecordingTransport();
  private final CountDownLatch gone = new CountDownLatch(1);
  private final StartsFirst starts = new StartsFirst();
  private final StatusReporter reporter =
      new StatusReporter(
          new ApiClient(transport),
          new StatusReporter.Target("ns", "p", "u1"),
          starts,
          JsonNodeFactory.instance.objectNode(),
          gone::countDown);

  @AfterEach
  void end() throws InterruptedException {
    reporter.stop();
  }

  @Test
  void writes_status_and_annotations_in_one_patch_that_names_the_uid() throws Exception {
    reporter.publish(
        new PodReport(
            status("Running", 1), Map.of("attempt", "3"), "Running", PodReport.Urgency.AT_ONCE));

    var patch = transport.await(1).getFirst();
    assertThat(patch.method()).isEqualTo("PATCH");
    assertThat(patch.path()).isEqualTo("/api/v1/namespaces/ns/pods/p/status");
    assertThat(patch.body().at("/metadata/uid").asText()).isEqualTo("u1");
    assertThat(patch.body().at("/metadata/annotations/attempt").asText()).isEqualTo("3");
    assertThat(patch.body().at("/status/phase").asText()).isEqualTo("Running");
  }

  @Test
  void combines_states_that_wait_and_keeps_those_a_watch_must_see() throws Exception {
    transport.gate.drainPermits();
    reporter.publish(report("Pending", 1));
    reporter.publish(report("Running", 2));
    reporter.publish(report("Running", 3));
    reporter.publish(report("Pending", 4));
    reporter.publish(report("Running", 5));

    transport.gate.release(100);

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().stream().map(sent -> sent.body().at("/status/n").asInt()))
        .containsSubsequence(3, 4, 5)
        .doesNotContain(2);
  }

  @Test
  void what_nobody_waits_for_is_written_after_the_starts_under_way() throws Exception {
    starts.begin();
    for (int i = 1; i <= 50; i++) { // each replaces the one before: at most one wait is over
      reporter.publish(report("Running", i, PodReport.Urgency.AFTER_STARTS));
    }
    starts.end();

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent()).hasSizeLessThan(50);
    assertThat(transport.sent().getLast().body().at("/status/n").asInt()).isEqualTo(50);
  }

  @Test
  void what_is_seen_in_passing_is_overtaken_by_what_comes_next() throws Exception {
    transport.gate.drainPermits();
    reporter.publish(report("Restarting", 1));
    awaitOnItsWay();

    reporter.publish(report("Restarting", 2, PodReport.Urgency.IN_PASSING));
    reporter.publish(report("Arrived", 3));
    transport.gate.release(100);

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().stream().map(sent -> sent.body().at("/status/n").asInt()))
        .containsExactly(1, 3);
  }

  @Test
  void what_is_seen_in_passing_waits_a_little_for_what_comes_next() throws Exception {
    reporter.publish(report("Restarting", 1));
    assertThat(reporter.flush(SOON)).isTrue();

    long before = System.nanoTime();
    reporter.publish(report("Restarting", 2, PodReport.Urgency.IN_PASSING));
    reporter.publish(report("Arrived", 3));
    boolean inTime = System.nanoTime() - before < StatusReporter.PASSING.toNanos();

    assertThat(reporter.flush(SOON)).isTrue();
    boolean written = transport.sent().size() > 2;
    assertThat(inTime && written).as("the next one came in time").isFalse();
  }

  @Test
  void what_nothing_overtakes_is_written() throws Exception {
    reporter.publish(report("Restarting", 1));
    reporter.publish(report("Restarting", 2, PodReport.Urgency.IN_PASSING));

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().getLast().body().at("/status/n").asInt()).isEqualTo(2);
  }

  /** The one before it was not written yet: a watch has to see it. */
  @Test
  void what_replaces_an_urgent_state_is_as_urgent() throws Exception {
    transport.gate.drainPermits();
    reporter.publish(report("Running", 1));
    reporter.publish(report("Restarting", 2));
    reporter.publish(report("Restarting", 3, PodReport.Urgency.IN_PASSING));
    reporter.publish(report("Arrived", 4));

    transport.gate.release(100);

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().stream().map(sent -> sent.body().at("/status/n").asInt()))
        .containsExactly(1, 3, 4);
  }

  /** CND-10: nor is it lost when it was one that nobody waits for. */
  @Test
  void what_is_seen_in_passing_takes_no_state_with_it_that_was_not_written() throws Exception {
    starts.begin();
    reporter.publish(report("Restarting", 1, PodReport.Urgency.AFTER_STARTS));
    reporter.publish(report("Restarting", 2, PodReport.Urgency.IN_PASSING));
    reporter.publish(report("Running", 3));
    starts.end();

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().stream().map(sent -> sent.body().at("/status/phase").asText()))
        .containsSubsequence("Restarting", "Running");
  }

  @Test
  void a_start_that_hangs_holds_up_no_report() throws Exception {
    starts.begin();

    reporter.publish(report("Running", 1, PodReport.Urgency.AFTER_STARTS));
    reporter.publish(report("Failed", 2));

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent()).hasSize(2);
  }

  @Test
  void a_state_the_server_cannot_write_now_is_sent_again() throws Exception {
    transport.code = 503;
    reporter.publish(report("Running", 1));
    transport.await(2);

    transport.code = 200;

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().getLast().body().at("/status/n").asInt()).isEqualTo(1);
  }

  @Test
  void sends_only_the_latest_state_when_the_api_server_comes_back() throws Exception {
    transport.reachable = false;
    reporter.publish(report("Pending", 1));
    reporter.publish(report("Running", 2));
    reporter.publish(report("Pending", 3));
    int before = transport.gate.availablePermits();
    while (transport.gate.availablePermits() > before - 2) {
      Thread.onSpinWait(); // a whole attempt failed since: the queue was cut down
    }
    reporter.publish(report("Running", 4));

    transport.reachable = true;

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent().getLast().body().at("/status/n").asInt()).isEqualTo(4);
    assertThat(transport.sent()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void repeats_its_state_when_somebody_else_overwrote_it() throws Exception {
    reporter.publish(report("Running", 1));
    assertThat(reporter.flush(SOON)).isTrue();

    reporter.seen(1, status("Running", 1)); // the echo of its own write
    reporter.seen(7, status("Running", 1)); // another field changed
    reporter.seen(8, status("Failed", 1));

    assertThat(transport.await(2)).hasSize(2);
    assertThat(transport.sent().getLast().body().at("/status/phase").asText()).isEqualTo("Running");
  }

  /** The answer may come after the watch has shown what others made of it. */
  @Test
  void repeats_a_state_that_was_overwritten_before_its_answer_came() throws Exception {
    transport.gate.drainPermits();
    reporter.publish(report("Running", 1));
    awaitOnItsWay();

    reporter.seen(7, status("Failed", 1));
    transport.gate.release(100);

    assertThat(transport.await(2)).hasSize(2);
    assertThat(transport.sent().getLast().body().at("/status/phase").asText()).isEqualTo("Running");
  }

  @Test
  void a_state_that_replaces_what_others_wrote_is_written_once() throws Exception {
    transport.gate.drainPermits();
    reporter.publish(report("Running", 1));
    awaitOnItsWay();

    reporter.seen(0, status("Failed", 1)); // older than what comes of the write
    transport.gate.release(100);

    assertThat(reporter.flush(SOON)).isTrue();
    assertThat(transport.sent()).hasSize(1);
  }

  @Test
  void tells_when_the_pod_is_gone() throws Exception {
    transport.code = 404;

    reporter.publish(report("Running", 1));

    assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
  }

  /** STS-34. */
  @Test
  void a_patch_names_what_is_no_longer_said_and_leaves_conditions_of_others_alone() {
    var base =
        Wire.tree(
            """
            {"reason":"Evicted","podIPs":[{"ip":"10.0.0.1"}],"conditions":[
            {"type":"Ready","status":"False","reason":"ContainersNotReady","message":"m"},
            {"type":"Mine","status":"True","reason":"Kept"}]}\
            """);
    var next =
        Wire.tree(
            """
            {"phase":"Running","podIPs":[{"ip":"10.0.0.2"}],
            "conditions":[{"type":"Ready","status":"True"}]}\
            """);

    assertThat(StatusPatch.of(base, next))
        .isEqualTo(
            Wire.tree(
                """
                {"phase":"Running","podIPs":[{"ip":"10.0.0.2"},{"$patch":"delete","ip":"10.0.0.1"}],
                "conditions":[{"type":"Ready","status":"True","reason":null,"message":null}],
                "reason":null}\
                """));
  }

  /** Until the state was taken from the queue; the gate holds it. */
  private void awaitOnItsWay() {
    while (!transport.gate.hasQueuedThreads()) {
      Thread.onSpinWait();
    }
  }

  private static PodReport report(String phase, int n) {
    return report(phase, n, PodReport.Urgency.AT_ONCE);
  }

  private static PodReport report(String phase, int n, PodReport.Urgency urgency) {
    return new PodReport(status(phase, n), Map.of(), phase, urgency);
  }

  private static ObjectNode status(String phase, int n) {
    return JsonNodeFactory.instance.objectNode().put("phase", phase).put("n", n);
  }
}
