package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.job.PlacementReader;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.jobset.ExclusivePlace.Role;
import java.util.List;
import java.util.Optional;

/**
 * What JobSet adds to a new pod of a group (JS-36, JS-91, JS-91a): its priority as a label, and
 * under exclusive placement a place. The first pod of each Job leads: it keeps other Jobs out of
 * its topology domain; the others follow it there and are refused until it is scheduled. Two links
 * of admission, as on clusters: one gives the place, one refuses a follower without any.
 */
public final class PodPlacement {
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String TRANSIENT = ". this is an expected, transient error";
  private static final String UNSCHEDULED =
      "leader pod not yet scheduled, not creating follower pod" + TRANSIENT;

  /** Where a follower goes, or why it cannot be said. */
  private sealed interface Place {
    record In(String domain) implements Place {}

    record Unknown(String why) implements Place {}
  }

  private final ObjectNode pod;
  private final Lookup lookup;

  private PodPlacement(ObjectNode pod, Lookup lookup) {
    this.pod = pod;
    this.lookup = lookup;
  }

  /** The mutating link. Priorities are given out before. */
  public static Admitted place(Review review, Lookup lookup) {
    if (concerns(review)) {
      new PodPlacement(review.object(), lookup).place();
    }
    return review.unchanged();
  }

  /** The validating link. */
  public static Admitted check(Review review, Lookup lookup) {
    if (!concerns(review)) {
      return review.unchanged();
    }
    var refusal = new PodPlacement(review.object(), lookup).refusal();
    return refusal.isEmpty()
        ? review.unchanged()
        : new Admitted(
            review.object(),
            List.of(),
            List.of(),
            RefusalStatus.denied("vpod.kb.io", refusal.get()));
  }

  /** Whether JobSet has anything to say about this write. */
  private static boolean concerns(Review review) {
    var pod = review.object();
    return review.isOf("", "Pod")
        && review.operation() == Operation.CREATE
        && PlacementReader.isPlaced(pod);
  }

  private void place() {
    var priority = Trees.number(pod, "spec", "priority");
    priority.ifPresent(
        value -> pod.withObject("/metadata/labels").put(JobSetKeys.PRIORITY, Long.toString(value)));
    var wanted = PlacementReader.read(pod);
    if (wanted.isEmpty()) {
      return;
    }
    String topology = wanted.get().topology();
    switch (wanted.get().role()) {
      case LEADER -> lead(topology);
      case FOLLOWER -> {
        if (follow(topology) instanceof Place.In(String domain)) {
          Trees.child(Trees.child(pod, "spec"), "nodeSelector").put(topology, domain);
        }
      }
    }
  }

  private Optional<String> refusal() {
    var found = PlacementReader.read(pod).filter(place -> place.role() == Role.FOLLOWER);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    return switch (follow(found.get().topology())) {
      case Place.Unknown(String why) -> Optional.of(why);
      case Place.In(String domain) -> // the leader may have got its node since
          found.get().domain().equals(domain) ? Optional.empty() : Optional.of(UNSCHEDULED);
    };
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

  private Place follow(String topology) {
    String prefix =
        "%s-%s-%s-0-"
            .formatted(
                annotation(JobSetKeys.JOBSET_NAME),
                annotation(JobSetKeys.REPLICATED_JOB_NAME),
                annotation(JobSetKeys.JOB_INDEX));
    var leaders =
        lookup.named("v1", "Pod", Trees.text(pod, "metadata", "namespace"), prefix).stream()
            .filter(this::leads)
            .toList();
    if (leaders.size() != 1) {
      return new Place.Unknown(
          "expected 1 leader pod (%s), but got %d".formatted(prefix, leaders.size()) + TRANSIENT);
    }
    String nodeName = Trees.text(leaders.getFirst(), "spec", "nodeName");
    if (nodeName.isEmpty()) {
      return new Place.Unknown(UNSCHEDULED);
    }
    String domain =
        lookup
            .find("v1", "Node", null, nodeName)
            .map(node -> Trees.text(node, "metadata", "labels", topology))
            .orElse("");
    return domain.isEmpty()
        ? new Place.Unknown("node does not have topology label: " + topology)
        : new Place.In(domain);
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

  private String annotation(String key) {
    return Trees.text(pod, "metadata", "annotations", key);
  }
}
