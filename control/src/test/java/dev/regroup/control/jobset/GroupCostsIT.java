package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.Road;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a group restart cost is told by one event, when the pods have told it. */
@ParameterizedClass
@EnumSource(Road.class)
class GroupCostsIT {

  private static final String COST = "InPlaceRestartCost";

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;
  private PlayedGroup group;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    group = new PlayedGroup(plane.admin());
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void when_the_first_program_speaks_and_all_others_have_told_how_they_fared() throws Exception {
    var pods = restarted();
    var lifted = lifted();

    tell(pods.get(0), lifted, 900);
    tell(pods.get(1), lifted, -1); // it says nothing, but runs

    var status = group.await(one -> one.at("/inPlaceRestarts/0/cost/measure").isTextual());
    assertThat(status.at("/inPlaceRestarts/0/cost/measure").asText()).isEqualTo("output");
    assertThat(group.awaitEvent(COST))
        .startsWith("in-place restart to attempt 1 cost ")
        .contains("first output 0.", "; slowest train-w-0-");
    assertThat(costs()).hasSize(1);
  }

  @Test
  void once_also_by_a_controller_that_comes_after_the_one_that_told_it() throws Exception {
    var pods = restarted();
    var lifted = lifted();
    plane.withoutControllers(() -> {
      tell(pods.get(0), lifted, 900);
      tell(pods.get(1), lifted, 950);
    });
    String first = group.awaitEvent(COST);

    plane.withoutControllers(() -> tell(pods.get(1), lifted, 970));
    group.restarting(pods.get(0), 3); // the newcomer is at work
    group.report(pods, 2);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 2);

    assertThat(costs()).containsExactly(first);
  }

  private List<ObjectNode> restarted() throws Exception {
    group.create(1, "\"maxRestarts\":3,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    group.restarting(pods.get(0), 3);
    group.await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    group.report(pods, 1);
    return pods;
  }

  private Instant lifted() throws Exception {
    var status = group.await(one -> one.at("/inPlaceRestarts/0/liftedAt").isTextual());
    return Instant.parse(status.at("/inPlaceRestarts/0/liftedAt").asText());
  }

  /** What the node writes of a pod that ran 50 ms after the barrier, and maybe of its output. */
  private void tell(ObjectNode pod, Instant lifted, int output) throws Exception {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    moments.put(Moment.NOTICED, lifted.minusMillis(200));
    moments.put(Moment.RUNNING, lifted.plusMillis(50));
    if (output >= 0) {
      moments.put(Moment.FIRST_OUTPUT, lifted.plusMillis(output));
    }
    var history = RestartHistory.NONE.with(new CompletedRestart(1, moments));
    var patch = Wire.object();
    var annotations = patch.putObject("metadata").putObject("annotations");
    RestartHistories.annotations(history).forEach(annotations::put);
    group.patch(pod, Wire.text(patch));
  }

  private List<String> costs() throws Exception {
    return new ApiClient(plane.admin())
        .list(Kinds.EVENTS, ListQuery.in("default")).items().stream()
            .filter(event -> event.path("reason").asText().equals(COST))
            .map(event -> event.path("message").asText())
            .toList();
  }
}
