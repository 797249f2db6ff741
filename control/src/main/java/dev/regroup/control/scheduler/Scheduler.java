package dev.regroup.control.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.Informer;
import dev.regroup.client.Item;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Outcome;
import dev.regroup.client.Patch;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.WorkQueue;
import dev.regroup.client.WriteOptions;
import dev.regroup.control.events.EventSink;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Binds pods that ask for the default scheduler. A pod that fits nowhere is told so once and looked
 * at again when a node changes.
 */
public final class Scheduler implements AutoCloseable {

  private static final String NAME = "default-scheduler";
  private static final Duration SOON = Duration.ofMillis(20);
  private static final Resource<ObjectNode> PODS =
      Resource.namespaced("", "v1", "pods", Codec.TREE);
  private static final Resource<ObjectNode> NODES = Resource.cluster("", "v1", "nodes", Codec.TREE);

  /**
   * A pod, as far as placing it goes.
   *
   * @param told the message that says why it waits, as stored; empty when there is none
   */
  private record Candidate(String node, boolean ours, Placement.Ask ask, String told) {}

  private final ApiClient client;
  private final EventSink events;
  private final InstantSource clock;
  private final Informer<Candidate> pods;
  private final Informer<Placement.Offer> nodes;
  private final WorkQueue<ObjectKey> queue;

  public Scheduler(
      Transport transport, EventSink events, InstantSource clock, RandomGenerator random) {
    this.client = new ApiClient(transport);
    this.events = events;
    this.clock = clock;
    this.queue = new WorkQueue<>(WorkQueue.Settings.of("scheduler", 16), this::handle);
    this.pods =
        new Informer<Candidate>(transport, PODS, ListQuery.ALL, Scheduler::candidate, random)
            .index("node", item -> List.of(item.value().node()))
            .listen(delta -> queue.add(delta.key()));
    this.nodes =
        new Informer<Placement.Offer>(transport, NODES, ListQuery.ALL, Scheduler::offer, random)
            .listen(_ -> pods.find("node", "").forEach(item -> queue.add(item.key())));
  }

  public void start() {
    pods.start();
    nodes.start();
  }

  @Override
  public void close() {
    pods.close();
    nodes.close();
    queue.close();
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var found = pods.get(key);
    if (found.isEmpty() || !found.get().value().ours()) {
      return Outcome.settled();
    }
    if (!nodes.synced()) {
      return Outcome.tryAgain(SOON, "nodes are not known yet"); // the last of them may wake nobody
    }
    var pod = found.get();
    var offers =
        nodes.all().stream()
            .map(item -> item.value().withPods(pods.count("node", item.key().name())))
            .toList();
    switch (Placement.choose(pod.value().ask(), offers)) {
      case Placement.OnNode(String node) -> bind(pod, node);
      case Placement.Nowhere(String message) -> wait(pod, message);
    }
    return Outcome.settled();
  }

  private void bind(Item<Candidate> pod, String node)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var binding = Wire.object().put("apiVersion", "v1").put("kind", "Binding");
    binding.putObject("metadata").put("name", pod.key().name()).put("uid", pod.uid());
    binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
    try {
      client.post(PODS, pod.key(), "binding", Wire.write(binding));
    } catch (ApiFailure failure) {
      if (failure.notFound() || failure.conflict()) {
        return; // deleted, or bound by somebody else
      }
      throw failure;
    }
    events.normal(
        EventSink.pod(pod.key(), pod.uid()),
        "Scheduled",
        "Successfully assigned %s to %s".formatted(pod.key(), node));
  }

  private void wait(Item<Candidate> pod, String message)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (pod.value().told().equals(message)) {
      return;
    }
    var patch = Wire.object();
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "PodScheduled")
        .put("status", "False")
        .put("reason", "Unschedulable")
        .put("message", message)
        .put("lastTransitionTime", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    client.patch(
        PODS,
        pod.key(),
        "status",
        new Patch(Patch.Type.STRATEGIC_MERGE, Wire.write(patch)),
        WriteOptions.by(NAME));
    events.warning(EventSink.pod(pod.key(), pod.uid()), "FailedScheduling", message);
  }

  private static Candidate candidate(ObjectNode pod) {
    var spec = pod.path("spec");
    boolean ours =
        spec.path("nodeName").asText("").isEmpty()
            && spec.path("schedulerName").asText(NAME).equals(NAME)
            && spec.path("schedulingGates").isEmpty()
            && !pod.path("metadata").has("deletionTimestamp")
            && pod.path("status").path("phase").asText("Pending").equals("Pending");
    String told = "";
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("PodScheduled")) {
        told = condition.path("message").asText("");
      }
    }
    return new Candidate(spec.path("nodeName").asText(""), ours, ours ? ask(spec) : NO_ASK, told);
  }

  private static final Placement.Ask NO_ASK =
      new Placement.Ask(Map.of(), List.of(), List.of(), Set.of());

  private static Placement.Ask ask(JsonNode spec) {
    var selector = new HashMap<String, String>();
    spec.path("nodeSelector")
        .properties()
        .forEach(e -> selector.put(e.getKey(), e.getValue().asText()));
    var tolerations = new ArrayList<Toleration>();
    spec.path("tolerations").forEach(item -> tolerations.add(Wire.read(item, Toleration.class)));
    return new Placement.Ask(Map.copyOf(selector), terms(spec), tolerations, features(spec));
  }

  private static List<NodeSelectorTerm> terms(JsonNode spec) {
    if (!spec.path("affinity").isObject()) {
      return List.of();
    }
    return Optional.ofNullable(Wire.read(spec.path("affinity"), Affinity.class).getNodeAffinity())
        .map(affinity -> affinity.getRequiredDuringSchedulingIgnoredDuringExecution())
        .map(required -> required.getNodeSelectorTerms())
        .orElse(List.of());
  }

  /** GATE-15: a rule that restarts all containers needs a node that has declared it. */
  private static Set<String> features(JsonNode spec) {
    for (String list : List.of("initContainers", "containers")) {
      for (JsonNode container : spec.path(list)) {
        for (JsonNode rule : container.path("restartPolicyRules")) {
          if (rule.path("action").asText().equals("RestartAllContainers")) {
            return Set.of("RestartAllContainersOnContainerExits");
          }
        }
      }
    }
    return Set.of();
  }

  private static Placement.Offer offer(ObjectNode node) {
    var labels = new HashMap<String, String>();
    node.path("metadata")
        .path("labels")
        .properties()
        .forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    var taints = new ArrayList<Taint>();
    node.path("spec").path("taints").forEach(item -> taints.add(Wire.read(item, Taint.class)));
    var features = new HashSet<String>();
    node.path("status").path("declaredFeatures").forEach(item -> features.add(item.asText()));
    return new Placement.Offer(
        node.path("metadata").path("name").asText(),
        Map.copyOf(labels),
        taints,
        node.path("spec").path("unschedulable").asBoolean(),
        Set.copyOf(features),
        0);
  }
}
