package dev.regroup.agent;

import dev.regroup.agent.AgentConfig.Place;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupOrders;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an agent reads in a version of its JobSet: the orders of the group (JS-127, JS-153). */
final class JobSetReading {

  /** Large, and nothing for an agent. */
  static final Set<String> SKIPPED =
      Set.of("managedFields", "replicatedJobs", "replicatedJobsStatus", "ownerReferences");

  private static final String DISABLE = "jobset.sigs.k8s.io/disable-in-place-restart";

  private JobSetReading() {}

  /** The orders in this version; unknown when it is not for this agent to act on. */
  static GroupOrders orders(@Nullable Object jobSet, Place place) {
    String uid = place.jobSetUid();
    if (jobSet == null
        || (!uid.isEmpty() && !uid.equals(JsonScan.text(jobSet, "metadata", "uid")))) {
      return GroupOrders.UNKNOWN; // none, or another of the same name (JS-149)
    }
    String strategy = JsonScan.text(jobSet, "spec", "failurePolicy", "restartStrategy");
    if (!strategy.equals("InPlaceRestart")
        || JsonScan.at(jobSet, "metadata", "annotations", DISABLE) != null) {
      return GroupOrders.BYPASS; // JS-127 step 1
    }
    if (finished(jobSet)) {
      return GroupOrders.UNKNOWN; // nothing it still says is an order (JS-144)
    }
    return GroupOrders.of(
        Barrier.read(
            number(jobSet, "currentInPlaceRestartAttempt"),
            number(jobSet, "previousInPlaceRestartAttempt"),
            number(jobSet, "syncedEpoch").orElse(0),
            number(jobSet, "deprecatedEpoch").orElse(0)));
  }

  private static boolean finished(Object jobSet) {
    if (JsonScan.at(jobSet, "metadata", "deletionTimestamp") != null) {
      return true;
    }
    for (Object condition : JsonScan.list(jobSet, "status", "conditions")) {
      String type = JsonScan.text(condition, "type");
      if ((type.equals("Completed") || type.equals("Failed"))
          && JsonScan.text(condition, "status").equals("True")) {
        return true;
      }
    }
    return false;
  }

  /** A number of 32 bits; a larger one is none. */
  private static OptionalInt number(Object jobSet, String field) {
    return JsonScan.at(jobSet, "status", field) instanceof Long number
            && number.longValue() == number.intValue()
        ? OptionalInt.of(number.intValue())
        : OptionalInt.empty();
  }
}
