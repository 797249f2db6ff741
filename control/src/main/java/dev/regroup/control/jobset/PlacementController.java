package dev.regroup.control.jobset;

import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.SideBySide;
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
import dev.regroup.rules.jobset.PlacementRepair;
import dev.regroup.rules.jobset.PlacementRepair.Member;
import dev.regroup.rules.jobset.PlacementRepair.Presence;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Has pods under exclusive placement follow a leader that came to another domain than theirs
 * (JS-91b): they are deleted and their Job makes them anew. {@link PlacementRepair} decides, one
 * Job at a time; leader and node are read once more before anybody goes. A pod without such a place
 * costs nothing. News of pods and of nodes' labels wake it, so it waits for nothing by itself.
 */
public final class PlacementController implements AutoCloseable {

  private static final String REASON = "ExclusivePlacementViolation";
  private static final String MESSAGE = "Pod violated JobSet exclusive placement policy";

  private final ApiClient client;
  private final PodPatches patches;
  private final EventRecorder events;
  private final PodFeed pods;
  private final Informer<Map<String, String>> nodes; // their labels
  private final Set<String> sentAway = ConcurrentHashMap.newKeySet(); // UIDs, until they are gone
  private final WorkQueue<String> queue; // UIDs of Jobs

  public PlacementController(
      SharedFeeds feeds,
      Transport transport,
      PodFeed pods,
      EventRecorder events,
      InstantSource clock) {
    this.client = new ApiClient(transport);
    this.patches = new PodPatches(client, clock);
    this.events = events;
    this.pods = pods;
    this.nodes =
        feeds.informer(Kinds.NODES, node -> Map.copyOf(Trees.map(node, "metadata", "labels")));
    this.queue =
        feeds
            .<String>loop("placement", 4)
            .hears(pods.informer(), this::podChanged)
            .hears(nodes, this::nodeChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private void podChanged(Delta<ControlledPod> delta) {
    if (delta instanceof Delta.Removed<ControlledPod>(var gone)) {
      sentAway.remove(gone.uid());
      return;
    }
    var now = delta.now().orElseThrow();
    if (isPlaced(now)
        && !delta
            .old()
            .filter(PlacementController::isPlaced)
            .map(this::member)
            .equals(Optional.of(member(now)))) {
      wake(now);
    }
  }

  private static boolean isPlaced(Item<ControlledPod> pod) {
    return pod.value().place().isPresent();
  }

  private void nodeChanged(Delta<Map<String, String>> delta) {
    if (!delta.now().map(Item::value).equals(delta.old().map(Item::value))) {
      pods.onNode(delta.key().name()).stream()
          .filter(PlacementController::isPlaced)
          .forEach(this::wake);
    }
  }

  private void wake(Item<ControlledPod> pod) {
    pod.value().controller().map(Owner::uid).ifPresent(queue::add);
  }

  /** Of a pod with a place. */
  private Member member(Item<ControlledPod> pod) {
    var seen = pod.value();
    boolean leaves = seen.job().terminating() || seen.job().terminal();
    return new Member(
        pod.uid(),
        seen.place().orElseThrow(),
        seen.node(),
        leaves || sentAway.contains(pod.uid()) ? Presence.LEAVES : Presence.STAYS);
  }

  private Outcome handle(String job)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var placed = pods.controlledBy(job).stream().filter(PlacementController::isPlaced).toList();
    var repair = PlacementRepair.of(placed.stream().map(this::member).toList(), this::domain);
    if (repair instanceof PlacementRepair.Moves moves && isStillThere(placed, moves)) {
      sendAway(placed.stream().filter(pod -> moves.followers().contains(pod.uid())).toList());
    }
    return Outcome.settled(); // an unknown node wakes us when it is known
  }

  private Optional<String> domain(String node, String topology) {
    return nodes.get(ObjectKey.cluster(node)).map(item -> item.value().get(topology));
  }

  /** Whether leader and node are as the caches say: what follows cannot be taken back. */
  private boolean isStillThere(List<Item<ControlledPod>> placed, PlacementRepair.Moves moves)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var leader = moves.leader();
    var known =
        placed.stream().filter(pod -> pod.uid().equals(leader.uid())).findFirst().orElseThrow();
    var pod = client.get(Kinds.PODS, known.key());
    var node = client.get(Kinds.NODES, ObjectKey.cluster(leader.node()));
    return pod.filter(now -> Trees.text(now, "metadata", "uid").equals(leader.uid()))
            .filter(now -> !Trees.has(now, "metadata", "deletionTimestamp"))
            .isPresent()
        && node.map(now -> Trees.text(now, "metadata", "labels", leader.place().topology()))
            .filter(moves.domain()::equals)
            .isPresent();
  }

  private void sendAway(List<Item<ControlledPod>> followers)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    SideBySide.each(followers, this::sendAway);
  }

  private void sendAway(Item<ControlledPod> pod)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    sentAway.add(pod.uid()); // before its end can be heard of, which has it forgotten
    boolean goes = false;
    try {
      var change = patches.of(pod.key(), pod.uid());
      if (patches.send(patches.disrupted(change, REASON, MESSAGE))) {
        events.warning(
            EventRecorder.Subject.of("v1", "Pod", pod.key(), pod.uid()), REASON, MESSAGE);
        patches.delete(pod.key(), pod.uid());
        goes = true;
      }
    } finally {
      if (!goes) {
        sentAway.remove(pod.uid());
      }
    }
  }
}
