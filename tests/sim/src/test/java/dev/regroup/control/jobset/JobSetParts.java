package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.group.Wake;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** The parts of the JobSet controller that need no thread, handed to the simulation. */
public final class JobSetParts {

  private JobSetParts() {}

  public static ObjectNode job(JobSetView jobSet, JobSetPlan.Effect.CreateJob wanted) {
    return ChildObjects.job(jobSet, JobSetGates.ALL, AgentSettings.LOCAL, wanted);
  }

  /** The counted group. */
  public static final class Group {
    private final GroupWatch watch;

    public Group(
        Function<String, List<Item<ControlledPod>>> podsOf,
        Predicate<String> nodeUnreachable,
        InstantSource clock) {
      this.watch = new GroupWatch(podsOf, nodeUnreachable, clock);
    }

    public void follow(List<Item<JobView>> current, Roster roster, JobSetStatus now) {
      watch.follow(current, roster, now);
    }

    public void learn(Item<JobView> job) {
      watch.learn(job);
    }

    public Wake changed(Item<ControlledPod> pod) {
      return watch.changed(pod);
    }

    public Wake gone(Item<ControlledPod> pod) {
      return watch.gone(pod);
    }

    public JobSetPlan.Group snapshot(JobSetView jobSet, Set<String> confirmed) {
      return watch.snapshot(jobSet.request(), confirmed);
    }
  }
}
