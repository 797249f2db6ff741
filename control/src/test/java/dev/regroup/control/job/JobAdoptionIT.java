package dev.regroup.control.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.Kinds;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JB-43 with the real controllers and the real server in one process. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class JobAdoptionIT {

  @TempDir Path directory;

  private ControlPlane plane;
  private Transport transport;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory);
    transport = plane.admin();
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @RepeatedTest(3)
  void a_job_takes_over_a_pod_that_matches_and_makes_none_beside_it() throws Exception {
    var template =
        """
        "labels":{"app":"x"}},"spec":{"restartPolicy":"Never","schedulerName":"nobody",
        "containers":[{"name":"c","image":"i"}]}
        """;
    plane.post(
        "/api/v1/namespaces/default/pods", "{\"metadata\":{\"name\":\"lonely\"," + template + "}");

    plane.post(
        "/apis/batch/v1/namespaces/default/jobs",
        """
        {"metadata":{"name":"a"},"spec":{"manualSelector":true,
         "selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{%s}}}
        """
            .formatted(template));

    awaitActive();
    var pods = new ApiClient(transport).list(Kinds.PODS, ListQuery.in("default")).items();
    assertThat(pods)
        .extracting(pod -> pod.path("metadata").path("name").asText())
        .containsExactly("lonely");
    assertThat(pods.getFirst().at("/metadata/ownerReferences/0/name").asText()).isEqualTo("a");
  }

  /** JB-59 after JB-26: nobody counts the pod any more, so nothing may hold it. */
  @Test
  void a_pod_that_its_deleted_job_left_behind_loses_the_finalizer() throws Exception {
    plane.post(
        "/apis/batch/v1/namespaces/default/jobs",
        """
        {"metadata":{"name":"a"},"spec":{"template":{"spec":{"restartPolicy":"Never",
         "schedulerName":"nobody","containers":[{"name":"c","image":"i"}]}}}}
        """);
    awaitActive();

    String job = "/apis/batch/v1/namespaces/default/jobs/a";
    transport.send(Request.of("DELETE", job, "application/json", new byte[0]));

    try (var stream = transport.open(Request.get("/api/v1/namespaces/default/pods", "watch=1"))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        var metadata = Wire.tree(frame).at("/object/metadata");
        if (!metadata.has("finalizers") && !metadata.has("ownerReferences")) {
          return;
        }
      }
    }
    throw new AssertionError("the watch ended");
  }

  /** Returns when the Job has counted its pod. */
  private void awaitActive() throws Exception {
    var path = "/apis/batch/v1/namespaces/default/jobs";
    try (var stream = transport.open(Request.get(path, "watch=1"))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        if (Wire.tree(frame).at("/object/status/active").asInt() == 1) {
          return;
        }
      }
    }
    throw new AssertionError("the watch ended");
  }
}
