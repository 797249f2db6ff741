package dev.regroup.control.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.job.JobKeys;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Jobs and their pods with the real controllers and the real server in one process. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class JobControllerIT {

  private static final String JOBS = "/apis/batch/v1/namespaces/default/jobs";
  private static final String JOB_SPEC =
      """
      {"template":{"spec":{"restartPolicy":"Never","schedulerName":"nobody",
       "containers":[{"name":"c","image":"i"}]}}}
      """;

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;
  private Transport transport;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    transport = plane.admin();
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  /** JB-43. */
  @RepeatedTest(3)
  void a_job_takes_over_a_pod_that_matches_and_makes_none_beside_it() throws Exception {
    var template =
        """
        "labels":{"app":"x"}},"spec":{"restartPolicy":"Never","schedulerName":"nobody",
        "containers":[{"name":"c","image":"i"}]}
        """;
    plane.withoutControllers(() -> { // so that they learn of the pod before the Job's turn comes
      plane.post(
          "/api/v1/namespaces/default/pods",
          "{\"metadata\":{\"name\":\"lonely\"," + template + "}");
      plane.post(
          JOBS,
          """
          {"metadata":{"name":"a"},"spec":{"manualSelector":true,
           "selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{%s}}}
          """
              .formatted(template));
    });

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
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    awaitActive();

    transport.send(Request.of("DELETE", JOBS + "/a", "application/json", new byte[0]));

    awaitPod(pod -> {
      var metadata = pod.path("metadata");
      return !metadata.has("finalizers") && !metadata.has("ownerReferences");
    });
  }

  /** JB-26: whoever asks to keep them keeps them, however late the controllers hear of them. */
  @Test
  void a_pod_that_no_controller_has_heard_of_yet_is_left_behind_all_the_same() throws Exception {
    plane.hold(watch -> watch.path().endsWith("/pods"));
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    awaitPod(pod -> !pod.isMissingNode());

    transport.send(Request.of("DELETE", JOBS + "/a", "application/json", new byte[0]));
    awaitPod(pod -> !pod.path("metadata").has("ownerReferences"));
    plane.release();

    awaitPod(pod -> !pod.path("metadata").has("finalizers"));
    assertThat(onlyPod()).isNotNull();
  }

  /** JB-59: a Job that matches does not adopt a pod that is going. */
  @Test
  void a_pod_on_its_way_out_is_not_held_for_a_job_that_could_adopt_it() throws Exception {
    var pods = "/api/v1/namespaces/default/pods";
    var template =
        """
        "labels":{"app":"x"}%s},"spec":{"restartPolicy":"Never","schedulerName":"nobody",
        "containers":[{"name":"c","image":"i"}]}
        """;
    try (var changes = transport.open(Request.get(pods, "watch=1"))) { // before it can be gone
      plane.withoutControllers(() -> {
        plane.post(
            JOBS,
            """
            {"metadata":{"name":"a"},"spec":{"manualSelector":true,
             "selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{%s}}}
            """
                .formatted(template.formatted("")));
        var finalizers = ",\"finalizers\":[\"" + JobKeys.TRACKING + "\"]";
        plane.post(
            pods, "{\"metadata\":{\"name\":\"going\"," + template.formatted(finalizers) + "}");
        transport.send(Request.of("DELETE", pods + "/going", "application/json", new byte[0]));
      });

      boolean gone = false;
      while (!gone) {
        var event = Wire.tree(changes.next());
        gone =
            event.path("type").asText().equals("DELETED")
                && event.at("/object/metadata/name").asText().equals("going");
      }
    }
  }

  /** BS-34. */
  @Test
  void a_job_deleted_while_no_controller_runs_still_lets_its_pods_go() throws Exception {
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    awaitActive();

    plane.withoutControllers(
        () -> transport.send(Request.of("DELETE", JOBS + "/a", "application/json", new byte[0])));

    awaitPod(pod -> !pod.path("metadata").has("finalizers"));
  }

  /** BS-48. */
  @Test
  void events_tell_of_pods_made_and_of_the_end() throws Exception {
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    awaitActive();
    var pod = client().list(Kinds.PODS, ListQuery.in("default")).items().getFirst();
    String name = pod.at("/metadata/name").asText();
    client()
        .mergePatchStatus(
            Kinds.PODS, new ObjectKey("default", name), "{\"status\":{\"phase\":\"Succeeded\"}}");

    var told = new TreeSet<String>();
    awaitIn(
        "/api/v1/namespaces/default/events",
        event -> {
          told.add(event.path("reason").asText() + ": " + event.path("message").asText());
          return told.containsAll(
              List.of("SuccessfulCreate: Created pod: " + name, "Completed: Job completed"));
        });
  }

  /** JB-97. */
  @Test
  void a_job_is_counted_from_its_first_pod_to_its_end() throws Exception {
    plane.post( // first, so that it is known before the other one ends
        JOBS,
        "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"managedBy\":\"example.com/other\","
            + JOB_SPEC.strip().substring(1)
            + "}");
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    awaitActive();
    client().mergePatchStatus(Kinds.PODS, onlyPod(), "{\"status\":{\"phase\":\"Succeeded\"}}");
    awaitIn(
        "/api/v1/namespaces/default/events",
        event -> event.path("reason").asText().equals("Completed"));

    assertThat(plane.figures().counters("job_controller_"))
        .containsEntry("job_controller_job_pods_creation_total [new, succeeded]", 1.0)
        .containsEntry("job_controller_job_pods_finished_total [NonIndexed, succeeded]", 1.0)
        .containsEntry(
            "job_controller_jobs_finished_total [NonIndexed, succeeded, CompletionsReached]", 1.0)
        .containsEntry("job_controller_terminated_pods_tracking_finalizer_total [add]", 1.0)
        .containsEntry("job_controller_jobs_by_external_controller_total [example.com/other]", 1.0)
        .containsKey("job_controller_job_syncs_total [NonIndexed, success, pods_created]")
        .containsKey("job_controller_job_syncs_total [NonIndexed, success, tracking]");
  }

  /** BS-39, with another reason than a quota. */
  @Test
  void pods_that_are_refused_are_told_and_tried_again() throws Exception {
    String spec =
        JOB_SPEC.strip().replace("\"spec\":{", "\"spec\":{\"priorityClassName\":\"late\",");
    plane.post(
        JOBS,
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"parallelism\":3," + spec.substring(1) + "}");
    awaitIn(
        "/api/v1/namespaces/default/events",
        event ->
            event.path("reason").asText().equals("FailedCreate")
                && event.path("message").asText().contains("no PriorityClass with name late"));
    assertThat(client().list(Kinds.PODS, ListQuery.in("default")).items()).isEmpty();

    plane.post(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        "{\"metadata\":{\"name\":\"late\"},\"value\":1}");

    awaitIn(JOBS, job -> job.at("/status/active").asInt() == 3);
  }

  /** JB-40, BS-47. */
  @Test
  void a_new_wish_is_acted_on_at_once_while_events_of_pods_go_on() throws Exception {
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    awaitActive();
    var pod = onlyPod();

    for (int i = 0; i < 100; i++) {
      client()
          .mergePatchStatus(
              Kinds.PODS,
              pod,
              "{\"status\":{\"phase\":\"Running\",\"message\":\"%d\"}}".formatted(i));
    }
    transport.send(
        Request.of(
            "PATCH",
            JOBS + "/a",
            "application/merge-patch+json",
            "{\"spec\":{\"suspend\":true}}".getBytes(StandardCharsets.UTF_8)));

    awaitIn(JOBS, job -> job.at("/status/conditions/0/type").asText().equals("Suspended"));
  }

  /** BS-26. */
  @Test
  void a_pod_deleted_before_it_had_a_node_is_replaced() throws Exception {
    plane.post(
        JOBS,
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"podReplacementPolicy\":\"Failed\","
            + JOB_SPEC.strip().substring(1)
            + "}");
    awaitActive();
    var first = onlyPod();

    transport.send(
        Request.of(
            "DELETE",
            "/api/v1/namespaces/default/pods/" + first.name(),
            "application/json",
            new byte[0]));

    awaitPod(pod -> !pod.at("/metadata/name").asText().equals(first.name()));
  }

  /** JB-56: nothing can be made there, and it is not worth a word. */
  @Test
  void a_namespace_that_ends_refuses_pods_and_nobody_is_told() throws Exception {
    plane.refuse(
        request -> request.method().equals("POST") && request.path().endsWith("/pods"),
        """
        {"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,
         "message":"the namespace is being terminated",
         "details":{"causes":[{"reason":"NamespaceTerminating"}]}}
        """);
    plane.post(JOBS, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + JOB_SPEC + "}");
    plane.awaitRefusal();
    plane.refuse(_ -> false, "{}");

    plane.post(JOBS, "{\"metadata\":{\"name\":\"b\"},\"spec\":" + JOB_SPEC + "}");
    awaitIn(
        "/api/v1/namespaces/default/events",
        event -> event.path("reason").asText().equals("SuccessfulCreate"));

    assertThat(client().list(Kinds.EVENTS, ListQuery.in("default")).items())
        .noneMatch(event -> event.path("message").asText().contains("being terminated"));
  }

  private ObjectKey onlyPod() throws Exception {
    var pods = client().list(Kinds.PODS, ListQuery.in("default")).items();
    assertThat(pods).hasSize(1);
    return new ObjectKey("default", pods.getFirst().at("/metadata/name").asText());
  }

  private ApiClient client() {
    return new ApiClient(transport);
  }

  private void awaitPod(Predicate<JsonNode> wanted) throws Exception {
    awaitIn("/api/v1/namespaces/default/pods", wanted);
  }

  private void awaitIn(String path, Predicate<JsonNode> wanted) throws Exception {
    try (var stream = transport.open(Request.get(path, "watch=1"))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        if (wanted.test(Wire.tree(frame).path("object"))) {
          return;
        }
      }
    }
    throw new AssertionError("the watch ended");
  }

  /** Returns when the Job has counted its pod. */
  private void awaitActive() throws Exception {
    awaitIn(JOBS, job -> job.at("/status/active").asInt() == 1);
  }
}
