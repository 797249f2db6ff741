package dev.regroup.cluster;

import dev.regroup.e2e.replay.Askers;
import dev.regroup.e2e.replay.Recordings;
import dev.regroup.testing.ExpectsThread;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What JobSet's own controller and webhooks did, done again by Regroup's on Kubernetes' own API
 * server and Job controller. The controller is a process of its own, with the gates of the
 * recordings.
 */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class RecordingsOnKubernetesIT {

  private static final int SIDE_BY_SIDE = 8;

  private RegroupOnCluster regroup;
  private Recordings recordings;

  @BeforeEach
  void regroup_has_the_gates_of_the_recordings(RealCluster cluster) throws Exception {
    regroup = cluster.regroup();
    regroup.killController();
    regroup.startController(
        "--gates=upstream",
        "--feature-gates=InPlaceRestart=true,RestartJob=true,ElasticJobSet=true",
        "--agent-kind=sidecar");
    var kube = cluster.kube();
    recordings =
        new Recordings(
            new Askers(kube.transport(), kube.nobody()),
            SIDE_BY_SIDE,
            Recordings.Listed.MAY_DIFFER);
  }

  @AfterEach
  void the_next_test_starts_its_own() throws Exception {
    recordings.close();
    regroup.killController();
  }

  @TestFactory
  Stream<DynamicTest> every_step_answers_as_recorded() throws IOException {
    return recordings.of("jobset", _ -> true);
  }
}
