package dev.regroup.control.nodes;

import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import java.time.Duration;

/**
 * Ends deleted pods that no node ends. One whose node is gone is removed: its namespace would wait
 * for ever. A node that is only late to appear gets some time first. One that never had a node and
 * that somebody's finalizer holds has failed: its Job may be waiting for that (BS-26).
 */
public final class LostPods implements AutoCloseable {

  /** As Kubernetes' collector of pods: 40 s. */
  public static final Duration PATIENCE = Duration.ofSeconds(40);

  private final ApiClient client;
  private final PodFeed pods;
  private final Informer<Boolean> nodes;
  private final WorkQueue<ObjectKey> queue;
  private final Duration patience;

  public LostPods(SharedFeeds feeds, Transport transport, PodFeed pods, Duration patience) {
    this.client = new ApiClient(transport);
    this.pods = pods;
    this.patience = patience;
    this.nodes = feeds.informer(Kinds.NODES, _ -> true);
    this.queue =
        feeds
            .<ObjectKey>loop("lost-pods", 1)
            .hears(nodes, this::nodeChanged)
            .hears(pods.informer(), this::podChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private void nodeChanged(Delta<Boolean> delta) {
    if (delta.now().isEmpty()) {
      pods.onNode(delta.key().name()).forEach(pod -> queue.addAfter(pod.key(), patience));
    }
  }

  private void podChanged(Delta<ControlledPod> delta) {
    delta
        .now()
        .map(Item::value)
        .filter(pod -> isEnding(pod) && !hasNode(pod))
        .ifPresent(
            pod -> queue.addAfter(delta.key(), pod.node().isEmpty() ? Duration.ZERO : patience));
  }

  private boolean hasNode(ControlledPod pod) {
    return !pod.node().isEmpty() && nodes.get(ObjectKey.cluster(pod.node())).isPresent();
  }

  private static boolean isEnding(ControlledPod pod) {
    return pod.job().terminating() && (!pod.node().isEmpty() || !pod.job().terminal());
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var pod = pods.get(key);
    if (pod.isEmpty() || !isEnding(pod.get().value())) {
      return Outcome.settled();
    }
    if (pod.get().value().node().isEmpty()) {
      var failed =
          "{\"metadata\":{\"uid\":\"%s\"},\"status\":{\"phase\":\"Failed\"}}"
              .formatted(pod.get().uid());
      client.mergePatchStatus(Kinds.PODS, key, failed);
      return Outcome.settled();
    }
    var node = ObjectKey.cluster(pod.get().value().node());
    if (client.get(Kinds.NODES, node).isEmpty()) {
      client.delete(Kinds.PODS, key, DeleteOptions.NONE.withGrace(0).onlyUid(pod.get().uid()));
    }
    return Outcome.settled();
  }
}
