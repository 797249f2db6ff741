package dev.regroup.control.pods;

import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.informer.SharedInformer;
import dev.regroup.rules.RuleGate;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The one informer on pods, shared by the controllers of Jobs and JobSets. */
public final class PodFeed extends SharedInformer<ControlledPod> {

  private static final String CONTROLLER = "controller";
  private static final String ORPHANS = "orphans";
  private static final String NODE = "node";

  /** Reads pods under these gates, those of the nodes. */
  public PodFeed(Transport transport, Set<RuleGate> gates, RandomGenerator random) {
    super(
        new Informer<ControlledPod>(
                transport, Kinds.PODS, ListQuery.ALL, new PodReader(gates)::read, random)
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
                item -> item.value().node().isEmpty() ? List.of() : List.of(item.value().node())));
  }

  public List<Item<ControlledPod>> controlledBy(String uid) {
    return find(CONTROLLER, uid);
  }

  /** Pods of a namespace that nobody controls. */
  public List<Item<ControlledPod>> orphans(String namespace) {
    return find(ORPHANS, namespace);
  }

  public List<Item<ControlledPod>> onNode(String node) {
    return find(NODE, node);
  }
}
