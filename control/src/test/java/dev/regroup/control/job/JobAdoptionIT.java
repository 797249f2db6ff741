package dev.regroup.control.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.Controllers;
import dev.regroup.control.Kinds;
import dev.regroup.server.ApiServer;
import dev.regroup.server.Identity;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JB-43 with the real controllers and the real server in one process. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class JobAdoptionIT {

  @TempDir Path directory;

  private ApiServer server;
  private Controllers controllers;
  private Transport transport;

  @BeforeEach
  void start() throws Exception {
    var random = RandomGenerator.getDefault();
    server =
        ApiServer.start(
            new ApiServer.Settings(directory, 0, Gates.product(), InstantSource.system(), random));
    transport = server.inProcess(Identity.admin());
    controllers =
        Controllers.start(
            name -> server.inProcess(Identity.controller(name)),
            new Controllers.Settings(Gates.product(), InstantSource.system(), random));
  }

  @AfterEach
  void stop() throws Exception {
    controllers.close();
    server.close();
  }

  @RepeatedTest(3)
  void a_job_takes_over_a_pod_that_matches_and_makes_none_beside_it() throws Exception {
    var template =
        """
        "labels":{"app":"x"}},"spec":{"restartPolicy":"Never","schedulerName":"nobody",
        "containers":[{"name":"c","image":"i"}]}
        """;
    post("/api/v1/namespaces/default/pods", "{\"metadata\":{\"name\":\"lonely\"," + template + "}");

    post(
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

  private ObjectNode post(String path, String json) throws Exception {
    var response =
        transport.send(Request.of("POST", path, "application/json", Wire.write(Wire.tree(json))));
    var body = Wire.tree(response.body());
    assertThat(response.ok()).as("%s: %s", path, body).isTrue();
    return body;
  }
}
