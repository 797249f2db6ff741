package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Which nodes cannot be reached (JS-136, JS-160). */
final class NodeFeed implements AutoCloseable {

  private static final String UNREACHABLE = "node.kubernetes.io/unreachable";

  private final Informer<Boolean> informer;
  private final Consumer<String> listener;

  /**
   * @param listener told the name of a node that became unreachable or came back
   */
  NodeFeed(Transport transport, RandomGenerator random, Consumer<String> listener) {
    this.listener = listener;
    this.informer =
        new Informer<Boolean>(transport, Kinds.NODES, ListQuery.ALL, NodeFeed::lost, random)
            .listen(this::changed);
  }

  void start() {
    informer.start();
  }

  boolean unreachable(String node) {
    return !node.isEmpty()
        && informer.get(ObjectKey.cluster(node)).map(item -> item.value()).orElse(false);
  }

  @Override
  public void close() {
    informer.close();
  }

  private void changed(Delta<Boolean> change) {
    boolean before = change.old().map(item -> item.value()).orElse(false);
    boolean now = change.now().map(item -> item.value()).orElse(false);
    if (before != now) {
      listener.accept(change.key().name());
    }
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
