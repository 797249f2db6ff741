package dev.regroup.client.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.regroup.client.Eventually;
import dev.regroup.client.FakeApi;
import dev.regroup.client.Request;
import dev.regroup.client.event.EventRecorder.Later;
import dev.regroup.client.event.EventRecorder.Source;
import dev.regroup.client.event.EventRecorder.Subject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventRecorderTest {

  private static final Subject POD = Subject.pod("ns", "p", "u1");

  private final FakeApi api = new FakeApi();
  private final InstantSource clock =
      InstantSource.fixed(Instant.parse("2026-01-02T03:04:05.678Z"));

  @Test
  void writes_events_as_a_kubelet_and_counts_repeated_ones() throws Exception {
    var main = POD.field("spec.containers{m}");
    try (var events = new EventRecorder(api, Source.of("kubelet").at("n1"), clock)) {
      events.warning(main, "BackOff", "Back-off restarting");
      events.warning(main, "BackOff", "Back-off restarting");
      events.normal(main, "Started", "Container started");

      var sent = sent(3);
      var first = body(sent.getFirst());
      assertThat(first.at("/metadata/name").asText()).startsWith("p.");
      assertThat(first.at("/involvedObject/fieldPath").asText()).isEqualTo("spec.containers{m}");
      assertThat(first.at("/source/component").asText()).isEqualTo("kubelet");
      assertThat(first.at("/source/host").asText()).isEqualTo("n1");
      assertThat(first.at("/reportingComponent").asText()).isEqualTo("kubelet");
      assertThat(first.at("/reportingInstance").asText()).isEqualTo("n1");
      assertThat(first.at("/firstTimestamp").asText()).isEqualTo("2026-01-02T03:04:05Z");
      assertThat(first.at("/count").asInt()).isEqualTo(1);
      assertThat(first.at("/type").asText()).isEqualTo("Warning");
      assertThat(sent.get(1).method()).isEqualTo("PATCH");
      assertThat(sent.get(1).path()).endsWith("/events/" + first.at("/metadata/name").asText());
      assertThat(body(sent.get(1)).at("/count").asInt()).isEqualTo(2);
      assertThat(body(sent.get(1)).has("series")).isFalse();
      assertThat(sent.get(2).method()).isEqualTo("POST");
    }
  }

  /** Who says what it does is read as events.k8s.io/v1, which counts in a series. */
  @Test
  void repeated_events_of_a_controller_are_a_series() throws Exception {
    try (var events = new EventRecorder(api, Source.of("jobset").doing("Reconciling"), clock)) {
      events.warning(POD, "JobCreationFailed", "no");
      events.warning(POD, "JobCreationFailed", "no");

      var again = body(sent(2).get(1));

      assertThat(again.at("/series/count").asInt()).isEqualTo(2);
      assertThat(again.at("/series/lastObservedTime").asText())
          .isEqualTo("2026-01-02T03:04:05.678000Z");
      assertThat(again.at("/count").asInt()).isEqualTo(2);
    }
  }

  @Test
  void a_component_of_the_whole_cluster_has_no_host_and_says_what_it_was_doing() throws Exception {
    try (var events = new EventRecorder(api, Source.of("jobset").doing("Reconciling"), clock)) {
      events.normal(POD, "Restarted", "again");

      var event = body(sent(1).getFirst());
      assertThat(event.path("source").has("host")).isFalse();
      assertThat(event.path("reportingInstance").asText("absent")).isEmpty();
      assertThat(event.path("action").asText()).isEqualTo("Reconciling");
      assertThat(event.path("involvedObject").has("fieldPath")).isFalse();
    }
  }

  @Test
  void what_is_told_once_is_one_event_however_often_it_is_told() throws Exception {
    for (int program = 0; program < 2; program++) { // the second one knows nothing of the first
      try (var events = new EventRecorder(api, Source.of("jobset"), clock)) {
        events.once(POD, EventRecorder.Type.NORMAL, "Cost", "0.8s", "cost-1");
        events.once(POD, EventRecorder.Type.NORMAL, "Cost", "0.8s", "cost-1");
      }
    }

    assertThat(api.state()).containsOnlyKeys("ns/p.u1.cost-1");
    assertThat(body(sent(4).getFirst()).path("message").asText()).isEqualTo("0.8s");
  }

  @Test
  void an_event_that_has_expired_is_made_anew_under_another_name() throws Exception {
    try (var events = new EventRecorder(api, Source.of("kubelet").at("n1"), clock)) {
      events.normal(POD, "Pulled", "here");
      var first = body(sent(1).getFirst()).at("/metadata/name").asText();
      Eventually.holds("it is there", () -> api.state().containsKey("ns/" + first));
      api.remove("ns", first);

      events.normal(POD, "Pulled", "here");

      var again = body(sent(3).getLast());
      assertThat(again.at("/count").asInt()).isEqualTo(1);
      assertThat(again.at("/metadata/name").asText()).isNotEqualTo(first);
    }
  }

  @Test
  void what_may_wait_is_told_before_the_end() throws Exception {
    var later = new Later(Duration.ofHours(1), Set.of("Started"));
    try (var events = new EventRecorder(api, Source.of("kubelet").at("n1"), clock, later)) {
      events.normal(POD, "Started", "it runs");
    }

    assertThat(body(sent(1).getFirst()).path("reason").asText()).isEqualTo("Started");
  }

  @Test
  void what_the_server_does_not_take_is_lost_and_the_next_is_not() throws Exception {
    try (var events = new EventRecorder(api, Source.of("kubelet").at("n1"), clock)) {
      api.down(true);
      events.normal(POD, "Lost", "lost");
      sent(1);
      api.down(false);

      events.normal(POD, "Kept", "kept");

      assertThat(body(sent(2).getLast()).path("reason").asText()).isEqualTo("Kept");
    }
  }

  @Test
  void what_may_wait_is_told_before_what_may_not() throws Exception {
    var later = new Later(Duration.ofMinutes(10), Set.of("Pulled", "Started"));
    try (var events = new EventRecorder(api, Source.of("kubelet").at("n1"), clock, later)) {
      events.normal(POD, "Pulled", "here");
      events.normal(POD, "Started", "it runs");
      events.warning(POD, "Unhealthy", "it hangs");

      assertThat(sent(3)).hasSize(3);
      assertThat(reasons()).containsExactly("Pulled", "Started", "Unhealthy");
    }
  }

  @Test
  void what_may_wait_is_told_in_the_end() throws Exception {
    var later = new Later(Duration.ofMillis(50), Set.of("Pulled", "Started"));
    try (var events = new EventRecorder(api, Source.of("kubelet").at("n1"), clock, later)) {
      events.normal(POD, "Pulled", "here");
      events.normal(POD, "Started", "it runs");
      sent(2);
      events.normal(POD, "Pulled", "there");
      sent(3);

      assertThat(reasons()).containsExactly("Pulled", "Started", "Pulled");
    }
  }

  private List<String> reasons() throws Exception {
    var reasons = new ArrayList<String>();
    for (var request : api.requests()) {
      reasons.add(body(request).path("reason").asText());
    }
    return reasons;
  }

  private List<Request> sent(int count) throws InterruptedException {
    Eventually.holds(count + " requests were sent", () -> api.requests().size() >= count);
    return api.requests();
  }

  private static JsonNode body(Request request) throws Exception {
    return new JsonMapper().readTree(request.body());
  }
}
