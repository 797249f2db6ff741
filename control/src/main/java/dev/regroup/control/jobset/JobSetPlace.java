package dev.regroup.control.jobset;

import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.api.jobset.JobSetCharge;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What differs between Regroup's own cluster and any other.
 *
 * @param charge which JobSets are ours
 * @param agents which agent Jobs get whose JobSet names none; asked for each Job, because nodes
 *     come and go
 * @param accounts for agents that are part of a pod
 */
public record JobSetPlace(
    JobSetCharge charge, Supplier<AgentSettings> agents, AgentAccounts accounts) {

  /** Regroup's own: all JobSets are ours, the node is the agent. */
  public static final JobSetPlace LOCAL =
      new JobSetPlace(JobSetCharge.ALL, () -> AgentSettings.LOCAL, AgentAccounts.ELSEWHERE);

  public JobSetPlace {
    Objects.requireNonNull(charge, "charge");
    Objects.requireNonNull(agents, "agents");
    Objects.requireNonNull(accounts, "accounts");
  }

  public JobSetPlace with(AgentAccounts other) {
    return new JobSetPlace(charge, agents, other);
  }
}
