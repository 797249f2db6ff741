package dev.regroup.server.nodes;

import dev.regroup.api.pod.PodReferences;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.store.Entry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which pods are on which node and what they refer to. Brought up to date when somebody asks: a pod
 * is read once when it is new and once when it has its node, because neither its node nor what it
 * refers to changes afterwards, so that the many changes of its status cost a comparison. Any
 * thread.
 */
public final class NodeGraph {
  private final ObjectStore objects;
  private final ResourceType pods;
  private final Map<String, Known> known = new HashMap<>(); // guarded by this
  private final Map<Relation, Integer> relations = new HashMap<>(); // guarded by this
  private long seen = -1; // guarded by this

  /** A pod as it was read. */
  private record Known(
      long created, long revision, String node, String namespace, Set<String> references) {}

  /** Some pod of the node refers to it. */
  private record Relation(String node, String namespace, String reference) {}

  public NodeGraph(ObjectStore objects, ResourceType pods) {
    this.objects = objects;
    this.pods = pods;
  }

  /** The node of a pod: empty when there is no such pod, an empty text when it has none yet. */
  synchronized Optional<String> nodeOf(String namespace, String pod) {
    refresh();
    return Optional.ofNullable(known.get(pods.key(namespace, pod))).map(Known::node);
  }

  /** Whether a pod of the node refers to this object. */
  synchronized boolean refers(String node, String resource, String namespace, String name) {
    refresh();
    return relations.containsKey(new Relation(node, namespace, resource + " " + name));
  }

  private void refresh() {
    long now = objects.changes(pods); // before looking: news from here on cause another look
    if (now == seen) {
      return;
    }
    var there = new HashSet<String>();
    for (var entry : objects.list(pods, "").entries()) {
      there.add(entry.key());
      var before = known.get(entry.key());
      boolean settled =
          before != null
              && before.created() == entry.createdRevision()
              && (!before.node().isEmpty() || before.revision() == entry.revision());
      if (!settled) {
        if (before != null) {
          relate(before, -1);
        }
        var read = read(entry);
        relate(read, 1);
        known.put(entry.key(), read);
      }
    }
    known
        .entrySet()
        .removeIf(old -> {
          boolean gone = !there.contains(old.getKey());
          if (gone) {
            relate(old.getValue(), -1);
          }
          return gone;
        });
    seen = now;
  }

  private static Known read(Entry entry) {
    var pod = ObjectStore.tree(entry.value());
    return new Known(
        entry.createdRevision(),
        entry.revision(),
        Trees.text(pod, "spec", "nodeName"),
        Trees.text(pod, "metadata", "namespace"),
        PodReferences.of(pod));
  }

  private void relate(Known pod, int by) {
    if (pod.node().isEmpty()) {
      return;
    }
    for (var reference : pod.references()) {
      relations.compute(
          new Relation(pod.node(), pod.namespace(), reference),
          (_, count) -> {
            int next = (count == null ? 0 : count) + by;
            return next == 0 ? null : next;
          });
    }
  }
}
