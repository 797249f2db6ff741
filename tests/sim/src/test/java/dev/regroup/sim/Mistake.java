package dev.regroup.sim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.informer.Delta;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.rules.pod.plan.PodPlan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Mistakes somebody could make, or has made, in one of the parts. Each is planted around the real
 * part, in what it sees or in what becomes of what it says; the worlds must find it.
 */
@SuppressWarnings("ImmutableEnumChecker") // makes a new plant each time
enum Mistake {

  // ---- the node and its pods -------------------------------------------------------------------

  /** A container whose supervisor died is taken for running. */
  LOST_CONTAINER_NEVER_COMES_BACK(() ->
      new Plant() {
        @Override
        public PodPlan pod(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
          return super.pod(spec, Twist.lostRuns(seen), settings, now);
        }
      }),

  /** What fails at the barrier starts again at once, for ever. */
  NO_BRAKE_AT_THE_BARRIER(() ->
      new Plant() {
        @Override
        public PodPlan pod(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
          return super.pod(spec, Twist.backOff(seen, BackOffMemory.EMPTY), settings, now);
        }
      }),

  /** The network of what is taken over is gone, and nobody looks. */
  ADOPTS_WITHOUT_NETWORK(() ->
      new Plant() {
        @Override
        public boolean checksNetwork() {
          return false;
        }
      }),
  AGENT_TAKES_THE_RUNNING_ATTEMPT(() ->
      new Plant() {
        @Override
        public PodPlan pod(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
          return Twist.effects(
              super.pod(spec, seen, settings, now),
              effects -> effects.replaceAll(Twist::oneAttemptBack));
        }
      }),
  AGENT_DOES_NOT_WAIT(() ->
      new Plant() {
        @Override
        public Optional<GroupOrders> orders(Optional<GroupOrders> read) {
          return Optional.of(
              new GroupOrders(
                  GroupOrders.Knowledge.BYPASS, OptionalInt.empty(), OptionalInt.empty()));
        }
      }),
  AGENT_IGNORES_ORDERS(() ->
      new Plant() {
        @Override
        public Optional<GroupOrders> orders(Optional<GroupOrders> read) {
          return read.map(
              orders -> new GroupOrders(orders.knowledge(), orders.current(), OptionalInt.empty()));
        }
      }),
  AGENT_KEEPS_THE_FIRST_ORDERS(() ->
      new Plant() {
        private Optional<GroupOrders> first = Optional.empty();

        @Override
        public Optional<GroupOrders> orders(Optional<GroupOrders> read) {
          boolean lifted = read.map(orders -> orders.current().isPresent()).orElse(false);
          first = first.isEmpty() && lifted ? read : first;
          return first.isPresent() ? first : read;
        }
      }),
  CYCLE_IS_NOT_REMEMBERED(() ->
      new Plant() {
        @Override
        public PodPlan pod(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
          return Twist.effects(
              super.pod(spec, seen, settings, now),
              effects ->
                  effects.removeIf(
                      e -> e instanceof Effect.Remember(var cycle) && cycle.terminating()));
        }
      }),
  VICTIMS_ARE_REMOVED_RUNNING(() ->
      new Plant() {
        @Override
        public PodPlan pod(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
          return Twist.effects(
              super.pod(spec, seen, settings, now),
              effects ->
                  effects.replaceAll(e ->
                      e instanceof Effect.Signal(var id, _, var why, _)
                              && why == StopReason.RESTART_ALL
                          ? new Effect.Remove(List.of(id))
                          : e));
        }
      }),
  REPORTS_WITHOUT_THE_ATTEMPT(() ->
      new Plant() {
        @Override
        public Optional<ObjectNode> report(ObjectNode patch) {
          boolean waits = patch.path("status").path("phase").asText().equals("Pending");
          if (waits) {
            Twist.metadata(patch).remove("annotations");
          }
          return Optional.of(patch);
        }
      }),
  REPORTS_ONE_STATE_LATE(() ->
      new Plant() {
        private Optional<ObjectNode> held = Optional.empty();

        @Override
        public Optional<ObjectNode> report(ObjectNode patch) {
          var last = held.filter(one -> Twist.sameObject(one, patch));
          held = Optional.of(patch);
          return last;
        }
      }),
  HIDES_THAT_ALL_RESTART(() ->
      new Plant() {
        @Override
        public Optional<ObjectNode> report(ObjectNode patch) {
          return Twist.isTrue(patch, "AllContainersRestarting")
              ? Optional.empty()
              : Optional.of(Twist.withoutPast(patch));
        }
      }),

  // ---- the Job controller ----------------------------------------------------------------------

  FORGETS_THE_FINALIZER(() ->
      new Plant() {
        @Override
        public JobPlan job(JobPlan plan) {
          return Twist.effects(
              plan, effects -> effects.removeIf(JobPlan.Effect.RemoveFinalizers.class::isInstance));
        }
      }),
  RECREATES_PODS_OF_A_RESTARTING_GROUP(() ->
      new Plant() {
        @Override
        public ObjectNode podOfJob(ObjectNode pod) {
          return Twist.isTrue(pod, "AllContainersRestarting") ? Twist.phase(pod, "Failed") : pod;
        }
      }),
  JOB_SEES_NO_EXIT_CODES(() ->
      new Plant() {
        @Override
        public ObjectNode podOfJob(ObjectNode pod) {
          return Twist.withoutStatuses(pod);
        }
      }),
  NEVER_REPLACES_A_POD(() ->
      new Plant() {
        @Override
        public JobPlan.Sight sight(JobPlan.Sight sight) {
          return begun++ < 6 ? sight : JobPlan.Sight.BLURRED;
        }

        private int begun;
      }),

  // ---- the JobSet controller -------------------------------------------------------------------

  RAISES_PREVIOUS_TWICE(() ->
      new Plant() {
        @Override
        public ObjectNode status(ObjectNode patch) {
          var status = Twist.status(patch);
          if (status.path("currentInPlaceRestartAttempt").asInt(-1) > 0) {
            status.set("previousInPlaceRestartAttempt", status.get("currentInPlaceRestartAttempt"));
          }
          return patch;
        }
      }),
  LIFTS_TOO_EARLY(() ->
      new Plant() {
        @Override
        public JobSetPlan.Group group(JobSetPlan.Group seen) {
          return Twist.expecting(seen, seen.tally().expected() - 1);
        }
      }),
  LIFTS_TO_THE_HIGHEST(() ->
      new Plant() {
        @Override
        public JobSetPlan.Group group(JobSetPlan.Group seen) {
          return Twist.allAtTheHighest(seen);
        }
      }),
  COUNTS_A_RESTART_TWICE(() ->
      new Plant() {
        @Override
        public ObjectNode status(ObjectNode patch) {
          Twist.raise(patch, "inPlaceRestartsCountTowardsMax");
          return patch;
        }
      }),
  FORGETS_TO_COUNT(() ->
      new Plant() {
        @Override
        public ObjectNode status(ObjectNode patch) {
          Twist.status(patch).put("inPlaceRestartsCountTowardsMax", 0);
          return patch;
        }
      }),
  OVERWRITES_A_NEWER_STATUS(() ->
      new Plant() {
        @Override
        public ObjectNode status(ObjectNode patch) {
          Twist.metadata(patch).remove("resourceVersion");
          return patch;
        }
      }),

  /** The failure of a pod is held against the group before its Job is asked. */
  BUDGET_BEFORE_POLICY(() ->
      new Plant() {
        @Override
        public boolean asks() {
          return false;
        }

        @Override
        public ObjectNode podOfGroup(ObjectNode pod) {
          return pod.path("status").path("phase").asText().equals("Failed")
              ? Twist.withoutStatuses(pod)
              : pod;
        }
      }),

  /** The pod is back before its failure was seen, and nobody asks what it remembers. */
  CAUSE_IS_LOST(() ->
      new Plant() {
        @Override
        public ObjectNode podOfGroup(ObjectNode pod) {
          return Twist.withoutPast(pod);
        }
      }),

  /** The plan is made from counts that go on counting. */
  TALLY_HANDS_OUT_LIVE_STATE(() ->
      new Plant() {
        @Override
        public JobSetPlan.Group group(JobSetPlan.Group seen) {
          return Twist.readyTooSoon(seen);
        }
      }),

  /** Pods without an index make the listener fail, and nobody hears it. */
  NON_INDEXED_GROUP_NEVER_STARTS(() ->
      new Plant() {
        @Override
        public boolean hears(Delta<ControlledPod> change) {
          return change.now().map(pod -> pod.value().job().index().isPresent()).orElse(true);
        }
      }),
  RESTARTS_FOR_NOTHING(() ->
      new Plant() {
        private int looks;

        @Override
        public JobSetPlan.Group group(JobSetPlan.Group seen) {
          return ++looks % 20 == 0
              ? Twist.asked(seen, new GroupRestartRequest("r" + looks, "", true))
              : seen;
        }
      }),
  BELIEVES_SUCCESS_CAN_RUN_AGAIN(() ->
      new Plant() {
        @Override
        public ObjectNode podOfGroup(ObjectNode pod) {
          return pod.path("status").path("phase").asText().equals("Succeeded")
              ? Twist.phase(pod, "Running")
              : pod;
        }

        @Override
        public ChildJob child(ChildJob job) {
          return Twist.nothingDone(job);
        }
      }),

  /** Found by these worlds: the pod that completed a place is gone, and the place with it. */
  FORGETS_WHAT_A_JOB_HAS_DONE(() ->
      new Plant() {
        @Override
        public ChildJob child(ChildJob job) {
          return Twist.nothingDone(job);
        }
      }),
  HEARS_NO_FAILURE_BUT_THE_FIRST(() ->
      new Plant() {
        private int heard;

        @Override
        public boolean hears(Delta<ControlledPod> change) {
          boolean failed =
              change.now().flatMap(pod -> pod.value().group()).isPresent()
                  && change.now().orElseThrow().value().job().restarts().sum() > 0;
          return !failed || heard++ < 3;
        }
      }),

  // ---- the watches -----------------------------------------------------------------------------

  NEVER_LISTS_AGAIN(() ->
      new Plant() {
        @Override
        public boolean listsAgain() {
          return false;
        }
      });

  private final Supplier<Plant> plant;

  Mistake(Supplier<Plant> plant) {
    this.plant = plant;
  }

  Plant plant() {
    return plant.get();
  }
}
