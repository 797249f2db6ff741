package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.node.FakeRuntime;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.rules.pod.SeenContainer.StopProgress.Step;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.Signal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Why a container is stopped: kept before anything happens to it, also on a full disk. */
class ContainerStopsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final PodUid POD = new PodUid("uid");
  private static final ContainerKey KEY = new ContainerKey(POD, "c", 0);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(10);

  private final FakeRuntime runtime = new FakeRuntime();
  private final Pokes pokes = new Pokes();
  private final PodThreads threads = new PodThreads();
  private final ContainerStops stops = node();

  @BeforeEach
  void run() throws Exception {
    runtime.start(ContainerConfig.of(KEY, 0, List.of("sleep")));
  }

  @AfterEach
  void end() throws Exception {
    threads.stop();
  }

  /** DEC-50. */
  @Test
  void a_node_that_starts_again_knows_why_and_since_when_a_container_is_stopped() throws Exception {
    stops.begin(record(), StopReason.LIVENESS_FAILED, Step.PRE_STOP);

    var again = node().of(record());

    assertThat(again.why()).isEqualTo(StopReason.LIVENESS_FAILED);
    assertThat(again.progress().since()).isEqualTo(NOW);
    assertThat(again.progress().step()).isEqualTo(Step.NONE);
  }

  @Test
  void the_first_reason_to_stop_is_kept() throws Exception {
    stops.begin(record(), StopReason.REQUESTED, Step.BEGUN);
    stops.signal(record(), StopReason.POD_END, Signal.SIGTERM, GRACE);
    pokes.await(SOON);

    assertThat(record().state()).isEqualTo(RuntimeRecord.State.EXITED);
    assertThat(node().of(record()).why()).isEqualTo(StopReason.REQUESTED);
  }

  @Test
  void a_disk_that_refuses_does_not_keep_a_pod_from_its_end() throws Exception {
    runtime.fillDisk(true);

    stops.begin(record(), StopReason.POD_END, Step.BEGUN);
    assertThat(stops.of(record()).why()).isEqualTo(StopReason.POD_END);
    stops.signal(record(), StopReason.POD_END, Signal.SIGTERM, GRACE);
    pokes.await(SOON);

    assertThat(record().state()).isEqualTo(RuntimeRecord.State.EXITED);
    assertThat(stops.of(record()).why()).isEqualTo(StopReason.POD_END);
    assertThat(stops.of(record()).progress().since()).isEqualTo(NOW);
  }

  @Test
  void a_restart_is_not_begun_without_its_note() throws Exception {
    runtime.fillDisk(true);

    assertThatThrownBy(() -> stops.begin(record(), StopReason.RESTART_ALL, Step.BEGUN))
        .isInstanceOf(RuntimeFailure.class);
    assertThat(stops.of(record())).isEqualTo(ContainerStops.Stop.NONE);
    stops.signal(record(), StopReason.RESTART_ALL, Signal.SIGTERM, GRACE);
    pokes.await(SOON);

    assertThat(record().state()).isEqualTo(RuntimeRecord.State.RUNNING);
    assertThat(stops.of(record()).progress().step()).isEqualTo(Step.NONE); // it is asked for again
  }

  private ContainerStops node() {
    return new ContainerStops(runtime, InstantSource.fixed(NOW), pokes, threads);
  }

  private RuntimeRecord record() {
    return runtime.containers(POD).getFirst();
  }
}
