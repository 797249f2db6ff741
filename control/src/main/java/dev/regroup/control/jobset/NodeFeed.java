package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.node.NodeReader;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.rules.node.NodeHealth;
import dev.regroup.rules.node.NodeLossSettings;

/** Which nodes cannot be reached, if that means anything to groups (JS-136, JS-160). */
final class NodeFeed {

  private final Informer<Boolean> informer;

  NodeFeed(SharedFeeds feeds, NodeLossSettings.Groups groups) {
    this.informer =
        feeds.informer(
            Kinds.NODES, node -> groups == NodeLossSettings.Groups.RESTART && lost(node));
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

  private static boolean lost(ObjectNode node) {
    return NodeReader.said(node) == NodeHealth.Said.UNKNOWN
        || NodeReader.taints(node).stream().anyMatch(NodeHealth.UNREACHABLE.taints()::contains);
  }
}
