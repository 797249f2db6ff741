package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.e2e.Program;
import dev.regroup.e2e.Workers;
import dev.regroup.testing.ExpectsThread;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Workers on Kubernetes' own kubelet are hurt through its API, or it is said why they are not. */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class ChaosOnKubernetesIT {

  @Test
  void each_harm_is_done_or_says_why_not(RealCluster cluster) throws Exception {
    cluster.regroup();
    var kube = cluster.kube();
    kube.create(
        Workers.JOB_SETS,
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: chaos}
        spec:
          failurePolicy: {maxRestarts: 9, restartStrategy: InPlaceRestart}
          replicatedJobs:
          - name: w
            template:
              spec:
                parallelism: 2
                completions: 2
                template:
                  spec:
                    terminationGracePeriodSeconds: 1
                    containers:
                    - name: worker
                      image: busybox
                      imagePullPolicy: Never
                      command: [sh, -c, 'trap "exit 143" TERM; while :; do sleep 0.2; done']
        """);
    try (var chaos =
        Program.start(
            Map.of(),
            List.of(
                "chaos",
                "jobset/chaos",
                "--kubeconfig",
                cluster.kubeconfig().toString(),
                "--data-dir",
                cluster.shared("chaos").toString(),
                "--timeout=150s",
                "--plan",
                "terminate worker 1; kill worker 0; stop worker 1 for 1s; fill worker 1; cut worker"
                    + " 0 for 1s; delete worker 1; evict worker 0"))) {
      assertThat(chaos.awaitExit(RegroupOnCluster.PATIENCE)).as(chaos.output()).isEqualTo(1);

      assertThat(chaos.output())
          .containsPattern("because of chaos-w-0-1-\\w+: container worker .*143")
          .contains("kill worker 0 after 0s: not done: its other processes were killed, but PID 1")
          .contains("fill worker 1 after 0s: not done: the container has no limits.memory")
          .contains("cut worker 0 after 0s for 1s: not done: only Regroup's own nodes")
          .containsPattern("because of chaos-w-0-1-\\w+: was deleted")
          .containsPattern("because of chaos-w-0-0-\\w+: was (deleted|evicted)")
          .contains("chaos: 4 of 7 done")
          .doesNotContain("in-place-restart-agent exited"); // it follows, and nobody blames it
    } finally {
      kube.delete(Workers.JOB_SETS + "/chaos", "propagationPolicy=Background");
    }
  }
}
