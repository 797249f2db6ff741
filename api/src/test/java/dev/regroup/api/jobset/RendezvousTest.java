package dev.regroup.api.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.rules.jobset.JobSetSpec;
import org.junit.jupiter.api.Test;

/** How workers find each other (JS-168). */
class RendezvousTest {

  private static JobSetSpec spec(String strategy) {
    return JobSetReader.spec(
        Wire.tree(
            """
            {"metadata":{"name":"train"},"spec":{%s"network":{"subdomain":""},"replicatedJobs":[
              {"name":"driver","replicas":1,"template":{"metadata":{"annotations":{
                 "jobset.sigs.k8s.io/inject-in-place-restart-agent":"none"}},"spec":{}}},
              {"name":"a","replicas":2,"template":{"spec":{"parallelism":2}}},
              {"name":"b","replicas":1,"template":{"spec":{"parallelism":3}}}]}}
            """
                .formatted(strategy)));
  }

  @Test
  void js_168_the_variables_are_the_same_with_every_restart_strategy() {
    var recreate = Rendezvous.of(spec(""));
    var inPlace =
        Rendezvous.of(spec("\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"},"));

    assertThat(recreate).isEqualTo(inPlace);
    assertThat(recreate.variables(3, 1, ""))
        .containsEntry("RANK", "5")
        .containsEntry("WORLD_SIZE", "7")
        .containsEntry("MASTER_ADDR", "train-a-0-0.train")
        .containsEntry("MASTER_PORT", "29500");
  }

  @Test
  void js_168_a_job_that_takes_no_part_has_none_and_counts_for_nobody() {
    var rendezvous = Rendezvous.of(spec(""));

    assertThat(rendezvous.variables(0, 0, "")).isEmpty();
    assertThat(rendezvous.variables(1, 0, "")).containsEntry("RANK", "0");
    assertThat(rendezvous.variables(9, 0, "")).isEmpty(); // of a JobSet that has changed since
  }
}
