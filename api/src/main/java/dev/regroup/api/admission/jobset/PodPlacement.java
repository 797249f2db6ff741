package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What JobSet adds to a new pod of a group (JS-36, JS-91, JS-91a): its priority as a label, and
 * under exclusive placement a place. The first pod of each Job leads: it keeps other Jobs out of
 * its topology domain; the others follow it there and are refused until it is scheduled.
 */
public final class PodPlacement {
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String TRANSIENT = ". this is an expected, transient error";

  /** Port to the objects a place depends on. */
  public interface Neighbours {
    List<ObjectNode> podsNamed(String namespace, String prefix);

    Optional<ObjectNode> node(String name);
  }

  /**
   * A pod that may be stored, or why not.
   *
   * @param refusal a complete {@code Status}
   */
  public record Placed(ObjectNode pod, @Nullable ObjectNode refusal) {}

  private final ObjectNode pod;
  private final Neighbours neighbours;

  private PodPlacement(ObjectNode pod, Neighbours neighbours) {
    this.pod = pod;
    this.neighbours = neighbours;
  }

  /** Whether JobSet has anything to say about this new pod. */
  public static boolean concerns(ObjectNode pod) {
    return Trees.has(pod, "metadata", "labels", JobSetKeys.JOBSET_NAME)
        && Trees.has(pod, "metadata", "annotations", JobSetKeys.JOBSET_NAME)
        && !Trees.has(pod, "metadata", "annotations", JobSetKeys.NODE_SELECTOR);
  }

  /** The pod as admission left it, so its priority is known; it is not changed. */
  public static Placed of(ObjectNode admitted, Neighbours neighbours) {
    return new PodPlacement(admitted.deepCopy(), neighbours).place();
  }

  private Placed place() {
    var priority = Trees.number(pod, "spec", "priority");
    priority.ifPresent(
        value -> pod.withObject("/metadata/labels").put(JobSetKeys.PRIORITY, Long.toString(value)));
    String topology = annotation(JobSetKeys.EXCLUSIVE_TOPOLOGY);
    if (topology.isEmpty()) {
      return new Placed(pod, null);
    }
    if (annotation(JobKeys.COMPLETION_INDEX).equals("0")) {
      lead(topology);
      return new Placed(pod, null);
    }
    return follow(topology);
  }

  private void lead(String topology) {
    String key = Trees.text(pod, "metadata", "labels", JobSetKeys.JOB_KEY);
    ObjectNode affinity = Trees.child(Trees.child(pod, "spec"), "affinity");
    var own = term(affinity, "podAffinity", topology);
    expression(own, JobSetKeys.JOB_KEY, "In", key);
    var others = term(affinity, "podAntiAffinity", topology);
    others
        .withArray("/labelSelector/matchExpressions")
        .addObject()
        .put("key", JobSetKeys.JOB_KEY)
        .put("operator", "Exists");
    expression(others, JobSetKeys.JOB_KEY, "NotIn", key);
    String priority = Trees.text(pod, "metadata", "labels", JobSetKeys.PRIORITY);
    expression(others, JobSetKeys.PRIORITY, "In", priority);
  }

  private static ObjectNode term(ObjectNode affinity, String kind, String topology) {
    var term = Trees.list(Trees.child(affinity, kind), REQUIRED).addObject();
    term.putObject("labelSelector").putArray("matchExpressions");
    term.put("topologyKey", topology).putObject("namespaceSelector");
    return term;
  }

  private static void expression(ObjectNode term, String key, String operator, String value) {
    term.withArray("/labelSelector/matchExpressions")
        .addObject()
        .put("key", key)
        .put("operator", operator)
        .putArray("values")
        .add(value);
  }

  /** The leader is looked at first, so that the refusal tells its state. */
  private Placed follow(String topology) {
    String prefix =
        "%s-%s-%s-0-"
            .formatted(
                annotation(JobSetKeys.JOBSET_NAME),
                annotation(JobSetKeys.REPLICATED_JOB_NAME),
                annotation(JobSetKeys.JOB_INDEX));
    var leaders =
        neighbours.podsNamed(Trees.text(pod, "metadata", "namespace"), prefix).stream()
            .filter(this::leads)
            .toList();
    if (leaders.size() != 1) {
      return refused(
          "expected 1 leader pod (%s), but got %d".formatted(prefix, leaders.size()) + TRANSIENT);
    }
    String nodeName = Trees.text(leaders.getFirst(), "spec", "nodeName");
    if (nodeName.isEmpty()) {
      return refused("leader pod not yet scheduled, not creating follower pod" + TRANSIENT);
    }
    String domain =
        neighbours
            .node(nodeName)
            .map(node -> Trees.text(node, "metadata", "labels", topology))
            .orElse("");
    if (domain.isEmpty()) {
      return refused("node does not have topology label: " + topology);
    }
    Trees.child(Trees.child(pod, "spec"), "nodeSelector").put(topology, domain);
    return new Placed(pod, null);
  }

  private boolean leads(ObjectNode other) {
    String phase = Trees.text(other, "status", "phase");
    return !Trees.has(other, "metadata", "deletionTimestamp")
        && !phase.equals("Failed")
        && !phase.equals("Succeeded")
        && controller(other).equals(controller(pod));
  }

  private static String controller(ObjectNode pod) {
    for (ObjectNode owner : Trees.objects(pod, "metadata", "ownerReferences")) {
      if (Trees.isTrue(owner, "controller")) {
        return Trees.text(owner, "uid");
      }
    }
    return "";
  }

  private Placed refused(String why) {
    return new Placed(pod, RefusalStatus.denied("vpod.kb.io", why));
  }

  private String annotation(String key) {
    return Trees.text(pod, "metadata", "annotations", key);
  }
}
