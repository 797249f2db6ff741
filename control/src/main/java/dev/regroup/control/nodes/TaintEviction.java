package dev.regroup.control.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.node.NodeReader;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.pods.PodPatches;
import dev.regroup.rules.node.Eviction;
import dev.regroup.rules.node.Taint;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Deletes pods from nodes whose {@code NoExecute} taints they do not tolerate, or no longer
 * (JB-113). {@link Eviction} decides. How long a taint is tolerated counts from when this program
 * saw it beside the pod. Pods of nodes without such taints cost nothing.
 */
public final class TaintEviction implements AutoCloseable {

  private static final String MESSAGE = "Taint manager: deleting due to NoExecute taint";

  private final ApiClient client;
  private final PodPatches patches;
  private final EventRecorder events;
  private final PodFeed pods;
  private final Informer<Set<Taint>> nodes;
  private final Awake awake;
  private final Map<String, Duration> since = new ConcurrentHashMap<>(); // by UID, waking time
  private final WorkQueue<ObjectKey> queue;

  public TaintEviction(
      SharedFeeds feeds,
      Transport transport,
      PodFeed pods,
      EventRecorder events,
      InstantSource clock,
      Awake awake) {
    this.client = new ApiClient(transport);
    this.patches = new PodPatches(client, clock);
    this.events = events;
    this.pods = pods;
    this.awake = awake;
    this.nodes = feeds.informer(Kinds.NODES, TaintEviction::evicting);
    this.queue =
        feeds
            .<ObjectKey>loop("taint-eviction", 4)
            .hears(nodes, this::nodeChanged)
            .hears(pods.informer(), this::podChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private static Set<Taint> evicting(ObjectNode node) {
    return NodeReader.taints(node).stream().filter(Taint::evicts).collect(Collectors.toSet());
  }

  private void nodeChanged(Delta<Set<Taint>> delta) {
    var before = delta.old().map(Item::value).orElse(Set.of());
    var now = delta.now().map(Item::value).orElse(Set.of());
    if (!now.equals(before)) {
      pods.onNode(delta.key().name()).forEach(pod -> queue.add(pod.key()));
    }
  }

  private void podChanged(Delta<ControlledPod> delta) {
    if (delta instanceof Delta.Removed<ControlledPod>(var gone)) {
      since.remove(gone.uid());
      return;
    }
    var pod = delta.now().orElseThrow();
    if (!since.containsKey(pod.uid()) && !taints(pod.value()).isEmpty()) {
      queue.add(delta.key());
    }
  }

  private Set<Taint> taints(ControlledPod pod) {
    return pod.node().isEmpty()
        ? Set.of()
        : nodes.get(ObjectKey.cluster(pod.node())).map(Item::value).orElse(Set.of());
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var found = pods.get(key);
    if (found.isEmpty()) {
      return Outcome.settled();
    }
    var pod = found.get();
    var taints = taints(pod.value());
    if (taints.isEmpty() || pod.value().job().terminating() || pod.value().job().terminal()) {
      if (since.remove(pod.uid()) != null && taints.isEmpty()) {
        events.normal(
            about(pod), "TaintManagerEviction", "Cancelling deletion of Pod " + pod.key());
      }
      return Outcome.settled();
    }
    var stored = client.get(Kinds.PODS, key);
    if (stored.isEmpty()) {
      return Outcome.settled();
    }
    return switch (Eviction.of(taints, NodeReader.tolerations(stored.get().path("spec")))) {
      case Eviction.Stays() -> Outcome.settled();
      case Eviction.Goes() -> evict(pod);
      case Eviction.StaysFor(Duration limit) -> {
        var now = awake.now();
        var rest = limit.minus(now.minus(since.computeIfAbsent(pod.uid(), _ -> now)));
        yield rest.isPositive() ? Outcome.tryAgain(rest, "its taints are tolerated") : evict(pod);
      }
    };
  }

  private Outcome evict(Item<ControlledPod> pod)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var node = client.get(Kinds.NODES, ObjectKey.cluster(pod.value().node()));
    if (node.map(TaintEviction::evicting).orElse(Set.of()).isEmpty()) {
      return Outcome.settled(); // it came back this moment
    }
    events.normal(about(pod), "TaintManagerEviction", "Marking for deletion Pod " + pod.key());
    var change = patches.of(pod.key(), pod.uid());
    if (patches.send(patches.disrupted(change, "DeletionByTaintManager", MESSAGE))) {
      patches.delete(pod.key(), pod.uid());
    }
    since.remove(pod.uid());
    return Outcome.settled();
  }

  private static EventRecorder.Subject about(Item<ControlledPod> pod) {
    return EventRecorder.Subject.of("v1", "Pod", pod.key(), pod.uid());
  }
}
