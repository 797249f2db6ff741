package dev.regroup.control.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
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
import dev.regroup.rules.node.NodeHealth;
import dev.regroup.rules.node.NodeHealth.Said;
import dev.regroup.rules.node.NodeHealth.Voice;
import dev.regroup.rules.node.PodAbandonment;
import dev.regroup.rules.node.PodAbandonment.Keeper;
import dev.regroup.rules.node.PodAbandonment.Life;
import dev.regroup.rules.node.PodAbandonment.Why;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks after the pods that no node looks after: those of nodes that are gone or not heard, and
 * those that never had one. {@link PodAbandonment} decides; what cannot be taken back is done only
 * after the node was read once more. Pods of nodes that are well cost nothing. Where others look
 * after nodes already, it only fails pods of groups whose node is unreachable for too long
 * (JS-136).
 */
public final class LostPods implements AutoCloseable {

  private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
  private static final String DISRUPTION_MESSAGE = "PodGC: node no longer exists";

  /** How much of it is ours. */
  public enum Duties {
    /** All: nobody else does it. */
    ALL,
    /** The cluster has controllers of its own that never fail a pod of an unreachable node. */
    UNREACHABLE_GROUPS
  }

  /** Whether a pod, by namespace and JobSet, is ours to fail. */
  @FunctionalInterface
  public interface Charge {
    boolean covers(ObjectKey jobSet) throws ApiFailure, Transport.Unreachable, InterruptedException;
  }

  /**
   * How it is done.
   *
   * @param charge asked only where not all is ours
   */
  public record Settings(PodAbandonment.Patience patience, Duties duties, Charge charge) {

    /** Everything is ours. */
    public static Settings all(PodAbandonment.Patience patience) {
      return new Settings(patience, Duties.ALL, _ -> true);
    }
  }

  /**
   * How a node is, and since when, in waking time.
   *
   * @param told UIDs of pods that were declared not ready because of it; once is enough
   */
  private record Standing(Keeper keeper, Duration since, Set<String> told) {}

  private final ApiClient client;
  private final PodPatches patches;
  private final EventRecorder events;
  private final PodFeed pods;
  private final Informer<Keeper> nodes;
  private final Awake awake;
  private final Settings settings;
  private final Map<String, Standing> standings = new ConcurrentHashMap<>(); // not of nodes at work
  private final WorkQueue<ObjectKey> queue;

  public LostPods(
      SharedFeeds feeds,
      Transport transport,
      PodFeed pods,
      EventRecorder events,
      InstantSource clock,
      Awake awake,
      Settings settings) {
    this.client = new ApiClient(transport);
    this.patches = new PodPatches(client, clock);
    this.events = events;
    this.pods = pods;
    this.awake = awake;
    this.settings = settings;
    this.nodes = feeds.informer(Kinds.NODES, LostPods::keeper);
    this.queue =
        feeds
            .<ObjectKey>loop("lost-pods", 4)
            .hears(nodes, this::nodeChanged)
            .hears(pods.informer(), this::podChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private static Keeper keeper(ObjectNode node) {
    var said = NodeReader.said(node);
    var taints = NodeReader.taints(node);
    boolean out = taints.stream().anyMatch(taint -> taint.key().equals(OUT_OF_SERVICE));
    if (out && said != Said.READY) {
      return Keeper.OUT_OF_SERVICE;
    }
    if (taints.containsAll(NodeHealth.UNREACHABLE.taints())) {
      return Keeper.UNREACHABLE;
    }
    return switch (NodeHealth.of(said, Voice.HEARD)) {
      case FINE -> Keeper.READY;
      case NOT_READY -> Keeper.NOT_READY;
      case UNREACHABLE -> Keeper.UNREACHABLE;
    };
  }

  private void nodeChanged(Delta<Keeper> delta) {
    var before = delta.old().map(Item::value);
    var now = delta.now().map(Item::value);
    if (now.equals(before)) {
      return;
    }
    String node = delta.key().name();
    if (now.equals(Optional.of(Keeper.READY))) {
      standings.remove(node);
    } else {
      standings.put(node, since(now.orElse(Keeper.GONE)));
      pods.onNode(node).forEach(pod -> queue.add(pod.key()));
    }
  }

  private Standing since(Keeper keeper) {
    return new Standing(keeper, awake.now(), ConcurrentHashMap.newKeySet());
  }

  private void podChanged(Delta<ControlledPod> delta) {
    var pod = delta.now().map(Item::value);
    if (pod.isEmpty()) {
      return;
    }
    String node = pod.get().node();
    boolean lost =
        node.isEmpty()
            ? life(pod.get()) == Life.ENDING
            : standings.containsKey(node) || nodes.get(ObjectKey.cluster(node)).isEmpty();
    if (lost) {
      queue.add(delta.key());
    }
  }

  private static Life life(ControlledPod pod) {
    if (pod.job().terminal()) {
      return pod.job().terminating() ? Life.ENDED_AND_DELETED : Life.ENDED;
    }
    return pod.job().terminating() ? Life.ENDING : Life.ALIVE;
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var found = pods.get(key);
    if (found.isEmpty()) {
      return Outcome.settled();
    }
    var pod = found.get();
    var standing = standing(pod.value().node());
    var lasts = awake.now().minus(standing.since());
    var step = PodAbandonment.of(life(pod.value()), standing.keeper(), lasts, settings.patience());
    if (!isOurs(step)) {
      return Outcome.settled();
    }
    return switch (step) {
      case PodAbandonment.Stays() -> Outcome.settled();
      case PodAbandonment.Waits(Duration until) -> again(until.minus(lasts));
      case PodAbandonment.NotReady(var until) -> {
        notReady(pod, standing);
        yield until.isPresent() ? again(until.get().minus(lasts)) : Outcome.settled();
      }
      case PodAbandonment.Fails(Why why) -> {
        if (isStill(pod, standing)) {
          fail(pod, why);
        }
        yield Outcome.settled();
      }
      case PodAbandonment.FailsAndGoes(Why why) -> {
        if (isStill(pod, standing)) {
          fail(pod, why);
          patches.remove(key, pod.uid());
        }
        yield Outcome.settled();
      }
    };
  }

  private boolean isOurs(PodAbandonment step) {
    return switch (settings.duties()) {
      case ALL -> true;
      case UNREACHABLE_GROUPS ->
          step instanceof PodAbandonment.NotReady
              || (step instanceof PodAbandonment.Fails(Why why) && why == Why.NODE_UNREACHABLE);
    };
  }

  private static Outcome again(Duration rest) {
    return Outcome.tryAgain(rest, "its node may come back");
  }

  private Standing standing(String node) {
    if (node.isEmpty()) {
      return since(Keeper.NONE);
    }
    var known = nodes.get(ObjectKey.cluster(node)).map(Item::value).orElse(Keeper.GONE);
    if (known == Keeper.READY) {
      return since(known);
    }
    return standings.compute(
        node, (_, noted) -> noted != null && noted.keeper() == known ? noted : since(known));
  }

  private boolean isStill(Item<ControlledPod> pod, Standing standing)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (standing.keeper() == Keeper.NONE) {
      return true;
    }
    if (settings.duties() == Duties.UNREACHABLE_GROUPS) {
      var jobSet = pod.value().labels().get(JobSetKeys.JOBSET_NAME);
      if (jobSet == null
          || !settings.charge().covers(new ObjectKey(pod.key().namespace(), jobSet))) {
        return false;
      }
    }
    var node = client.get(Kinds.NODES, ObjectKey.cluster(pod.value().node()));
    return node.map(LostPods::keeper).orElse(Keeper.GONE) == standing.keeper();
  }

  private void notReady(Item<ControlledPod> pod, Standing standing)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (settings.duties() == Duties.ALL
        && pod.value().job().ready()
        && standing.told().add(pod.uid())) {
      events.warning(about(pod), "NodeNotReady", "Node is not ready");
      patches.send(patches.notReady(patches.of(pod.key(), pod.uid())));
    }
  }

  private void fail(Item<ControlledPod> pod, Why why)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (pod.value().job().terminal()) {
      return;
    }
    var change = patches.of(pod.key(), pod.uid());
    switch (why) {
      case NEVER_ASSIGNED, OUT_OF_SERVICE -> patches.failed(change);
      case NODE_GONE ->
          patches.disrupted(patches.failed(change), "DeletionByPodGC", DISRUPTION_MESSAGE);
      case NODE_UNREACHABLE -> {
        String message =
            "Node %s which was running pod %s is unresponsive"
                .formatted(pod.value().node(), pod.key().name());
        patches.failed(change, PodAbandonment.NODE_LOST, message);
        patches.disrupted(change, PodAbandonment.NODE_LOST, message);
        events.warning(about(pod), PodAbandonment.NODE_LOST, message);
      }
    }
    patches.send(change);
  }

  private static EventRecorder.Subject about(Item<ControlledPod> pod) {
    return EventRecorder.Subject.of("v1", "Pod", pod.key(), pod.uid());
  }
}
