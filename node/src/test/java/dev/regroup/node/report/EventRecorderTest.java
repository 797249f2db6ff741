package dev.regroup.node.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class EventRecorderTest {

  private final RecordingTransport transport = new RecordingTransport();

  @Test
  void writes_events_as_a_kubelet_and_counts_repeated_ones() throws Exception {
    var clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05.678Z"));
    var subject = EventRecorder.Subject.pod("ns", "p", "u1").field("spec.containers{m}");
    var events = new EventRecorder(new NodeApi(transport), "n1", clock);
    try {

      events.record(subject, EventRecorder.Type.WARNING, "BackOff", "Back-off restarting");
      events.record(subject, EventRecorder.Type.WARNING, "BackOff", "Back-off restarting");
      events.record(subject, EventRecorder.Type.NORMAL, "Started", "Container started");

      var sent = transport.await(3);
      var first = sent.getFirst().body();
      assertThat(first.at("/metadata/name").asText()).startsWith("p.");
      assertThat(first.at("/involvedObject/fieldPath").asText()).isEqualTo("spec.containers{m}");
      assertThat(first.at("/source/component").asText()).isEqualTo("kubelet");
      assertThat(first.at("/source/host").asText()).isEqualTo("n1");
      assertThat(first.at("/reportingComponent").asText()).isEqualTo("kubelet");
      assertThat(first.at("/firstTimestamp").asText()).isEqualTo("2026-01-02T03:04:05Z");
      assertThat(first.at("/count").asInt()).isEqualTo(1);
      assertThat(first.at("/type").asText()).isEqualTo("Warning");
      assertThat(sent.get(1).method()).isEqualTo("PATCH");
      assertThat(sent.get(1).path()).endsWith("/events/" + first.at("/metadata/name").asText());
      assertThat(sent.get(1).body().at("/count").asInt()).isEqualTo(2);
      assertThat(sent.get(2).method()).isEqualTo("POST");
    } finally {
      events.stop();
    }
  }
}
