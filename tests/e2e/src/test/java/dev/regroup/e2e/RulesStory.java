package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of a group of two whose agents carry out rules that no kubelet knows: locally and on
 * a cluster the same.
 */
public final class RulesStory {

  /** 5: the worker alone; 6: done with success; 0 and 7: by the policy; others: the group. */
  public static final String RULES =
      """
      [{"action": "Restart", "exitCodes": {"operator": "In", "values": [5]}},\
       {"action": "Complete", "exitCodes": {"operator": "In", "values": [6]}},\
       {"action": "RestartAllContainers", "exitCodes": {"operator": "NotIn", "values": [0, 7]}}]\
      """;

  private RulesStory() {}

  /** Of a group that was created with {@link #RULES} and agents of kind process. */
  public static void tell(Workers group, Kube kube) throws Exception {
    var before = group.awaitRunning(kube, 0);

    group.exit(0, 0, 5);
    group.awaitAgain(0, 0);
    assertThat(group.jobSet(kube).path("status").has("previousInPlaceRestartAttempt"))
        .as("nobody else was told to restart")
        .isFalse();

    group.exit(0, 0, 1);
    var after = group.awaitRunning(kube, 1);
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isZero());

    group.exit(1, 0, 6); // not a failure
    group.exit(1, 1, 0);
    var done = group.awaitCondition(kube, "Completed");
    assertThat(done.path("status").path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
  }
}
