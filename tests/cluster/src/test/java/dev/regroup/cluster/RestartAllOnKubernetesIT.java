package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What in-place restarts of groups lean on: the kubelet restarts all containers of a pod. */
@ExtendWith(SharedCluster.class)
class RestartAllOnKubernetesIT {

  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @Test
  void a_pod_restarts_in_place_when_a_rule_says_so(RealCluster cluster) throws Exception {
    var kube = cluster.kube();
    kube.create(
        PODS,
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: smoke}
        spec:
          terminationGracePeriodSeconds: 1
          restartPolicy: Never
          containers:
          - name: helper
            image: busybox
            imagePullPolicy: Never
            command: [sleep, "3600"]
          - name: worker
            image: busybox
            imagePullPolicy: Never
            command: [sh, -c, 'n=$(cat /d/n 2>/dev/null || echo 0); echo $((n+1)) > /d/n; [ $n -gt 0 ] || exit 7; exec sleep 3600']
            volumeMounts: [{name: d, mountPath: /d}]
            restartPolicy: Never
            restartPolicyRules:
            - {action: RestartAllContainers, exitCodes: {operator: In, values: [7]}}
          volumes: [{name: d, emptyDir: {}}]
        """);

    var pod =
        kube.awaitOne(
            PODS, "smoke", p -> restarts(p, 0) == 1 && restarts(p, 1) == 1 && bothRun(p), LIMIT);

    assertThat(pod.path("status").path("phase").asText()).isEqualTo("Running");
    kube.delete(PODS + "/smoke", "");
  }

  private static int restarts(JsonNode pod, int container) {
    return pod.path("status")
        .path("containerStatuses")
        .path(container)
        .path("restartCount")
        .asInt();
  }

  private static boolean bothRun(JsonNode pod) {
    var statuses = pod.path("status").path("containerStatuses");
    return statuses.path(0).path("state").has("running")
        && statuses.path(1).path("state").has("running");
  }
}
