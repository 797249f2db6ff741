package dev.regroup.control.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.informer.Item;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.job.JobBackOff;
import dev.regroup.rules.job.JobPlan;
import java.time.Instant;

/** The parts of the Job controller that need no thread, handed to the simulation. */
public final class JobParts {

  private JobParts() {}

  public static ObjectNode pod(ObjectNode job, JobPlan.NewPod wanted) {
    return JobPods.make(job, wanted);
  }

  /** What the controller remembers of one Job. */
  public static final class Memory {
    private final JobMemory memory = new JobMemory();

    public JobBackOff backOff() {
      return memory.backOff();
    }

    public void keep(JobBackOff next) {
      memory.keep(next);
    }

    public void created(String uid, Instant now) {
      memory.created(uid, now);
    }

    public void deleted(String uid, Instant now) {
      memory.deleted(uid, now);
    }

    public void untracked(String uid) {
      memory.untracked(uid);
    }

    public boolean isUntracked(String uid) {
      return memory.isUntracked(uid);
    }

    public void saw(String uid, ControlledPod pod) {
      memory.saw(uid, pod);
    }

    public void sawGone(String uid) {
      memory.sawGone(uid);
    }

    public JobPlan.Sight sight(Instant now) {
      return memory.sight(now);
    }

    public void wrote(Item<JobView> job) {
      memory.wrote(job);
    }

    public Item<JobView> newest(Item<JobView> cached) {
      return memory.newest(cached);
    }
  }
}
