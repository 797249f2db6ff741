package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;

/** Which nodes cannot be reached (JS-136, JS-160). */
final class NodeFeed {

  private static final String UNREACHABLE = "node.kubernetes.io/unreachable";

  private final Informer<Boolean> informer;

  NodeFeed(SharedFeeds feeds) {
    this.informer = feeds.informer(Kinds.NODES, NodeFeed::lost);
  }

  Informer<Boolean> informer() {
    return informer;
  }

  boolean unreachable(String node) {
    return !node.isEmpty()
        && informer.get(ObjectKey.cluster(node)).map(item -> item.value()).orElse(false);
  }

  /** Whether a node became unreachable or came back. */
  static boolean differs(Delta<Boolean> change) {
    boolean before = change.old().map(item -> item.value()).orElse(false);
    boolean now = change.now().map(item -> item.value()).orElse(false);
    return before != now;
  }

  private static Boolean lost(ObjectNode node) {
    for (var taint : node.path("spec").path("taints")) {
      if (Trees.text(taint, "key").equals(UNREACHABLE)) {
        return true;
      }
    }
    for (var condition : node.path("status").path("conditions")) {
      if (Trees.text(condition, "type").equals("Ready")) {
        return Trees.text(condition, "status").equals("Unknown");
      }
    }
    return false;
  }
}
