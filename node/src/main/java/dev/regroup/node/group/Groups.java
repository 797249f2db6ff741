package dev.regroup.node.group;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.rules.group.GroupOrders;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;

/** Port to the JobSets of this node's pods, as last read. Orders are answered from memory. */
public interface Groups extends AutoCloseable {

  /** Somebody else looks after JobSets: no pod is part of a group. */
  Groups NONE =
      new Groups() {
        @Override
        public GroupOrders orders(Pod pod) {
          return GroupOrders.UNKNOWN;
        }

        @Override
        public Map<String, String> rendezvous(Pod pod) {
          return Map.of();
        }
      };

  /** What the pod's JobSet says; unknown until it was read once (JS-165b). */
  GroupOrders orders(Pod pod);

  /**
   * Rendezvous variables for a worker that starts now (JS-168); empty for other pods. Asks the API
   * server where the JobSet was not seen yet: a worker must never start with half of them.
   */
  Map<String, String> rendezvous(Pod pod) throws ConfigFailure, InterruptedException;

  /** Follows no longer. */
  @Override
  default void close() {}
}
