package dev.regroup.cli.group;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.jobset.JobSetStatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Asks for a restart by an annotation (node.md RAC-08, JS-167) and waits for what becomes of it:
 * the group runs at a higher attempt, the pod's containers run again, or somebody says why not.
 */
public final class RestartAsk {

  private static final WriteOptions OURS = WriteOptions.by("regroup-restart");

  /**
   * What is asked for.
   *
   * @param graceSeconds for a pod: between the stop signal and the kill
   */
  public record Wish(String id, String reason, OptionalInt graceSeconds, boolean uncounted) {

    ObjectNode json() {
      var json = Wire.object().put("requestID", id);
      if (!reason.isEmpty()) {
        json.put("reason", reason);
      }
      graceSeconds.ifPresent(seconds -> json.put("grace", seconds));
      if (uncounted) {
        json.put("uncounted", true);
      }
      return json;
    }
  }

  private final Transport transport;
  private final ApiClient client;
  private final Duration patience;

  public RestartAsk(Transport transport, Duration patience) {
    this.transport = transport;
    this.client = new ApiClient(transport);
    this.patience = patience;
  }

  /** Returns a sentence about the restart. */
  public String restart(Target target, Wish wish) throws CliFailure, InterruptedException {
    return switch (target.kind()) {
      case JOB_SET -> jobSet(target, wish);
      case POD -> pod(target, wish);
    };
  }

  private String jobSet(Target target, Wish wish) throws CliFailure, InterruptedException {
    var before = read(Kinds.JOB_SETS, target);
    if (!JobSetReader.restartsInPlace(before)) {
      throw new CliFailure(
          target
              + ": its failurePolicy.restartStrategy is not InPlaceRestart, so only its Jobs could"
              + " be made anew (delete them: kubectl delete jobs -l "
              + GroupReport.selector(target.key().name())
              + ")");
    }
    if (!Trees.has(before, "status", "inPlaceRestartsCountTowardsMax")) {
      throw new CliFailure(
          target
              + ": its status counts no restarts in place. Either no controller of Regroup has"
              + " looked at it (regroup install; where JobSet's own is installed: spec.managedBy "
              + JobSetKeys.REGROUP_MANAGER
              + "), or the JobSet definition is not Regroup's, and nobody could remember that a"
              + " request was served");
    }
    refuseEnded(target, before);
    int wanted = JobSetStatusReader.read(before.path("status")).group().barrier().next();
    ask(Kinds.JOB_SETS, target.key(), wish);
    try (var changes = new Changes(transport, Kinds.JOB_SETS, target.key(), patience)) {
      while (true) {
        var now = read(Kinds.JOB_SETS, target);
        var group = JobSetStatusReader.read(now.path("status")).group();
        boolean answered =
            group.lastRequest().filter(last -> last.requestId().equals(wish.id())).isPresent();
        if (answered) {
          refused(target, wish);
          int current = group.barrier().current().orElse(-1);
          if (current >= wanted && !group.barrier().restarting()) {
            return "%s runs at attempt %d".formatted(target, current);
          }
        }
        refuseEnded(target, now);
        await(
            changes,
            Kinds.JOB_SETS,
            target,
            answered
                ? "the group gathers for attempt " + group.barrier().target()
                : "no controller has answered the request");
      }
    }
  }

  /** Nobody restarts what has ended; it would be waited for in vain. */
  private static void refuseEnded(Target target, JsonNode jobSet) throws CliFailure {
    String state = JobSetStatusReader.read(jobSet.path("status")).terminalState();
    if (!state.isEmpty()) {
      throw new CliFailure(
          "%s: has ended (%s), there is nothing to restart (delete it and apply it again)"
              .formatted(target, state));
    }
  }

  private String pod(Target target, Wish wish) throws CliFailure, InterruptedException {
    var before = read(Kinds.PODS, target);
    var node = Trees.text(before, "spec", "nodeName");
    if (!isRegroups(node)) {
      var jobSet = Trees.text(before, "metadata", "labels", JobSetKeys.JOBSET_NAME);
      throw new CliFailure(
          "%s: node \"%s\" is not Regroup's, and no kubelet restarts a pod on demand%s"
              .formatted(
                  target,
                  node,
                  jobSet.isEmpty() ? "" : " (its group: regroup restart jobset/" + jobSet + ")"));
    }
    String phase = Trees.text(before, "status", "phase");
    if (phase.equals("Succeeded") || phase.equals("Failed")) {
      throw new CliFailure(
          "%s: has ended (%s), there is nothing to restart (delete it)".formatted(target, phase));
    }
    var counts = restarts(before);
    ask(Kinds.PODS, target.key(), wish);
    try (var changes = new Changes(transport, Kinds.PODS, target.key(), patience)) {
      while (true) {
        var now = read(Kinds.PODS, target);
        refused(target, wish);
        if (!Trees.text(now, "metadata", "uid").equals(Trees.text(before, "metadata", "uid"))) {
          throw new CliFailure(target + ": was deleted, another pod has its name");
        }
        if (isAgainRunning(now, counts)) {
          return target + " was restarted in place";
        }
        await(changes, Kinds.PODS, target, "its containers are not all running again");
      }
    }
  }

  /** A node says so in its version. */
  private boolean isRegroups(String node) throws CliFailure, InterruptedException {
    if (node.isEmpty()) {
      return false;
    }
    return get(Kinds.NODES, ObjectKey.cluster(node))
        .map(one -> Trees.text(one, "status", "nodeInfo", "kubeletVersion"))
        .filter(version -> version.endsWith("+regroup"))
        .isPresent();
  }

  private static Map<String, Integer> restarts(JsonNode pod) {
    var counts = new HashMap<String, Integer>();
    for (var status : Trees.objects(pod, "status", "containerStatuses")) {
      counts.put(Trees.text(status, "name"), Trees.integer(status, "restartCount").orElse(0));
    }
    return counts;
  }

  private static boolean isAgainRunning(JsonNode pod, Map<String, Integer> before) {
    var now = Trees.objects(pod, "status", "containerStatuses");
    return !now.isEmpty()
        && now.stream()
            .allMatch(status ->
                Trees.integer(status, "restartCount").orElse(0)
                        > before.getOrDefault(Trees.text(status, "name"), 0)
                    && Trees.has(status, "state", "running"));
  }

  /** Whoever ignores a request says so by an event that names it. */
  private void refused(Target target, Wish wish) throws CliFailure, InterruptedException {
    var about = Changes.eventsAbout(target.key());
    String start = "request " + wish.id() + ": ";
    for (var event : call(() -> client.list(Kinds.EVENTS, about).items())) {
      var message = Trees.text(event, "message");
      if (Trees.text(event, "reason").equals("RestartRequestIgnored")
          && message.startsWith(start)) {
        throw new CliFailure(
            "%s: was not restarted: %s".formatted(target, message.substring(start.length())));
      }
    }
  }

  private void ask(Resource<ObjectNode> resource, ObjectKey key, Wish wish)
      throws CliFailure, InterruptedException {
    var patch = Wire.object();
    patch
        .putObject("metadata")
        .putObject("annotations")
        .put(JobSetKeys.RESTART_REQUEST, Wire.text(wish.json()));
    call(
        () -> client.patch(resource, key, "", Patch.merge(Wire.text(patch).getBytes(UTF_8)), OURS));
  }

  private ObjectNode read(Resource<ObjectNode> resource, Target target)
      throws CliFailure, InterruptedException {
    return get(resource, target.key())
        .orElseThrow(() ->
            new CliFailure(
                CliFailure.Code.NOT_FOUND,
                "%s: not found in namespace \"%s\"".formatted(target, target.key().namespace()),
                null));
  }

  private Optional<ObjectNode> get(Resource<ObjectNode> resource, ObjectKey key)
      throws CliFailure, InterruptedException {
    return call(() -> client.get(resource, key));
  }

  private void await(Changes changes, Resource<ObjectNode> resource, Target target, String waiting)
      throws CliFailure, InterruptedException {
    if (!changes.next()) {
      var _ = read(resource, target); // a server that is gone tells of no change: say that then
      throw new CliFailure(
          CliFailure.Code.TIMED_OUT,
          "%s: after %ds %s (regroup status %s)"
              .formatted(target, patience.toSeconds(), waiting, target),
          null);
    }
  }

  private interface Question<T> {
    T ask() throws ApiFailure, Transport.Unreachable, InterruptedException;
  }

  private static <T> T call(Question<T> question) throws CliFailure, InterruptedException {
    try {
      return question.ask();
    } catch (ApiFailure e) {
      throw new CliFailure(String.valueOf(e.getMessage()), e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    }
  }
}
