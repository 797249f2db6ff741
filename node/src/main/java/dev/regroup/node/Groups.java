package dev.regroup.node;

import dev.regroup.rules.pod.GroupSignals;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;

/** Port to the JobSets of this node's pods, as last read. Answers at once, from memory. */
interface Groups {

  /** What the pod's JobSet says; unknown until it was read once (JS-165b). */
  GroupSignals signals(Pod pod);

  /** Rendezvous variables for a worker that starts now (JS-168); empty for other pods. */
  Map<String, String> rendezvous(Pod pod);
}
