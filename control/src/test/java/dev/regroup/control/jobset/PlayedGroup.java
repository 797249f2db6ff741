package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** A JobSet whose node and agents a test plays, by writing what they would write. */
final class PlayedGroup {

  static final Duration SOON = Duration.ofSeconds(20);
  static final ObjectKey TRAIN = new ObjectKey("default", "train");

  private final Transport transport;
  private final ApiClient admin;

  PlayedGroup(Transport transport) {
    this.transport = transport;
    this.admin = new ApiClient(transport);
  }

  void create(int replicas, String policy) throws Exception {
    create("train", replicas, policy);
  }

  void create(String name, int replicas, String policy) throws Exception {
    create(name, replicas, policy, "");
  }

  /** {@code job} holds more fields of the Job, each with a comma behind it. */
  void create(String name, int replicas, String policy, String job) throws Exception {
    var jobSet =
        """
        {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"%s"},
         "spec":{"failurePolicy":{%s"restartStrategy":"InPlaceRestart"},
          "replicatedJobs":[{"name":"w","replicas":%d,"template":{"spec":{%s
           "parallelism":2,"completions":2,"template":{"spec":{"containers":[
            {"name":"worker","image":"none","command":["sleep","inf"]}]}}}}}]}}
        """
            .formatted(name, policy, replicas, job);
    admin.create(Kinds.JOB_SETS, "default", Wire.tree(jobSet));
  }

  static String key(String name) {
    return "jobset.sigs.k8s.io/" + name;
  }

  /** What the node writes when a pod has reached the barrier, or runs on in that attempt. */
  void report(List<ObjectNode> pods, int attempt) throws Exception {
    for (var pod : pods) {
      patch(
          pod,
          """
          {"metadata":{"annotations":{"%s":"%d","%s":"%d"}},
           "status":{"phase":"Running","conditions":[
            {"type":"AllContainersRestarting","status":"False"}],
            "containerStatuses":[{"name":"worker","image":"none","imageID":"","ready":true,
             "restartCount":%d,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}]}}
          """
              .formatted(
                  key("in-place-restart-attempt"), attempt, key("epoch"), attempt + 1, attempt));
    }
  }

  /** What the node writes when a pod came back by itself: the attempt with its last state. */
  void cameBack(ObjectNode pod, int attempt, int code, String finishedAt) throws Exception {
    patch(
        pod,
        """
        {"metadata":{"annotations":{"%s":"%d","%s":"%d"}},
         "status":{"phase":"Pending","conditions":[
          {"type":"AllContainersRestarting","status":"False"}],
          "containerStatuses":[{"name":"worker","image":"none","imageID":"","ready":false,
           "restartCount":%d,"state":{"waiting":{"reason":"WaitingForBarrier"}},
           "lastState":{"terminated":{"exitCode":%d,"reason":"RestartingAllContainers",
            "message":"Container worker exited with code %d, triggering pod restart",
            "startedAt":"2026-01-01T00:00:00Z","finishedAt":"%s"}}}]}}
        """
            .formatted(
                key("in-place-restart-attempt"),
                attempt,
                key("epoch"),
                attempt + 1,
                attempt,
                code,
                code,
                finishedAt));
  }

  /** What the node writes when a worker ended and its pod with it. */
  void failed(ObjectNode pod, int code) throws Exception {
    patch(
        pod,
        """
        {"status":{"phase":"Failed",
         "containerStatuses":[{"name":"worker","image":"none","imageID":"","ready":false,
          "restartCount":0,"state":{"terminated":{"exitCode":%d,"reason":"Error",
           "startedAt":"2026-01-01T00:00:00Z","finishedAt":"2026-01-01T00:00:01Z"}}}]}}
        """
            .formatted(code));
  }

  /** What the node writes when a worker's exit restarts all containers. */
  void restarting(ObjectNode pod, int code) throws Exception {
    patch(
        pod,
        """
        {"status":{"conditions":[{"type":"AllContainersRestarting","status":"True"}],
         "containerStatuses":[{"name":"worker","image":"none","imageID":"","ready":false,
          "restartCount":0,"state":{"terminated":{"exitCode":%d,
           "startedAt":"2026-01-01T00:00:00Z","finishedAt":"2026-01-01T00:00:01Z"}}}]}}
        """
            .formatted(code));
  }

  void patch(ObjectNode pod, String json) throws Exception {
    var key = new ObjectKey("default", pod.path("metadata").path("name").asText());
    admin.mergePatchStatus(Kinds.PODS, key, json);
  }

  List<ObjectNode> awaitPods(int count) throws Exception {
    return awaitPods("", count);
  }

  /** The pods of one JobSet, or of all. */
  List<ObjectNode> awaitPods(String jobSet, int count) throws Exception {
    var selector = jobSet.isEmpty() ? "" : key("jobset-name") + "=" + jobSet;
    long deadline = System.nanoTime() + SOON.toNanos();
    var query = ListQuery.in("default").withLabels(selector);
    var page = admin.list(Kinds.PODS, query);
    try (var stream = watch("/api/v1/namespaces/default/pods", page.resourceVersion())) {
      while (page.items().size() < count) {
        next(stream, deadline);
        page = admin.list(Kinds.PODS, query);
      }
    }
    return page.items().stream().sorted(Comparator.comparing(PlayedGroup::name)).toList();
  }

  static List<String> names(List<ObjectNode> pods) {
    return pods.stream().map(PlayedGroup::name).toList();
  }

  static String name(JsonNode pod) {
    return pod.path("metadata").path("name").asText();
  }

  JsonNode await(Predicate<JsonNode> fact) throws Exception {
    return await(TRAIN, fact);
  }

  JsonNode await(ObjectKey jobSet, Predicate<JsonNode> fact) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    var now = admin.get(Kinds.JOB_SETS, jobSet).orElseThrow();
    var version = now.path("metadata").path("resourceVersion").asText();
    try (var stream = watch(Kinds.JOB_SETS.path("default"), version)) {
      JsonNode object = now;
      while (!name(object).equals(jobSet.name()) || !fact.test(object.path("status"))) {
        object = next(stream, deadline).path("object");
      }
      return object.path("status");
    }
  }

  /** Waits until the Job is gone. */
  void awaitNoJob(String name) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    var page = admin.list(Kinds.JOBS, ListQuery.in("default"));
    try (var stream = watch(Kinds.JOBS.path("default"), page.resourceVersion())) {
      boolean there = page.items().stream().anyMatch(job -> name(job).equals(name));
      while (there) {
        var event = next(stream, deadline);
        there =
            !event.path("type").asText().equals("DELETED")
                || !name(event.path("object")).equals(name);
      }
    }
  }

  /** The message of the first event about the JobSet with this reason. */
  String awaitEvent(String reason) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    try (var stream = watch("/api/v1/namespaces/default/events", "0")) {
      while (true) {
        var event = next(stream, deadline).path("object");
        if (event.path("reason").asText().equals(reason)
            && event.path("involvedObject").path("kind").asText().equals("JobSet")) {
          return event.path("message").asText();
        }
      }
    }
  }

  /** The pairs current/previous of all revisions since this one, equal neighbours once. */
  List<String> signals(ObjectNode since) throws Exception {
    var pairs = new ArrayList<String>();
    var newest =
        admin
            .get(Kinds.JOB_SETS, TRAIN)
            .orElseThrow()
            .path("metadata")
            .path("resourceVersion")
            .asText();
    var version = since.path("metadata").path("resourceVersion").asText();
    try (var stream = watch(Kinds.JOB_SETS.path("default"), version)) {
      var last = pair(since.path("status"));
      JsonNode object = since;
      while (!object.path("metadata").path("resourceVersion").asText().equals(newest)) {
        object = next(stream, System.nanoTime() + SOON.toNanos()).path("object");
        var pair = pair(object.path("status"));
        if (!pair.equals(last)) {
          pairs.add(pair);
          last = pair;
        }
      }
    }
    return pairs;
  }

  private static String pair(JsonNode status) {
    return status.path("currentInPlaceRestartAttempt").asText()
        + "/"
        + status.path("previousInPlaceRestartAttempt").asText();
  }

  private Transport.Stream watch(String path, String version) throws Exception {
    var query = "watch=true&timeoutSeconds=20&resourceVersion=" + version;
    return transport.open(Request.get(path, query));
  }

  private JsonNode next(Transport.Stream stream, long deadline) throws Exception {
    var frame = stream.next();
    if (frame == null || System.nanoTime() > deadline) {
      throw new AssertionError(
          "waited in vain; the JobSet is " + admin.get(Kinds.JOB_SETS, TRAIN).orElseThrow());
    }
    return Wire.tree(frame);
  }
}
