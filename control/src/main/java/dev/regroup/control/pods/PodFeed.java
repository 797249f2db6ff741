package dev.regroup.control.pods;

import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.rules.RuleGate;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Pods as the controllers of workloads see them, and how they are looked up. */
public final class PodFeed {

  private static final String CONTROLLER = "controller";
  private static final String ORPHANS = "orphans";
  private static final String NODE = "node";

  private final Informer<ControlledPod> informer;

  /** Reads pods under these gates, those of the nodes. */
  public PodFeed(SharedFeeds feeds, Set<RuleGate> gates) {
    this.informer =
        feeds
            .<ControlledPod>informer(Kinds.PODS, new PodReader(gates)::read)
            .index(
                CONTROLLER, item -> item.value().controller().map(o -> o.uid()).stream().toList())
            .index(
                ORPHANS,
                item ->
                    item.value().controller().isEmpty()
                        ? List.of(item.key().namespace())
                        : List.of())
            .index(
                NODE,
                item -> item.value().node().isEmpty() ? List.of() : List.of(item.value().node()));
  }

  public Informer<ControlledPod> informer() {
    return informer;
  }

  public Optional<Item<ControlledPod>> get(ObjectKey key) {
    return informer.get(key);
  }

  public List<Item<ControlledPod>> controlledBy(String uid) {
    return informer.find(CONTROLLER, uid);
  }

  /** Pods of a namespace that nobody controls. */
  public List<Item<ControlledPod>> orphans(String namespace) {
    return informer.find(ORPHANS, namespace);
  }

  public List<Item<ControlledPod>> onNode(String node) {
    return informer.find(NODE, node);
  }
}
