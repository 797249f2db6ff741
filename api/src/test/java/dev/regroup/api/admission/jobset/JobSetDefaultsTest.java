package dev.regroup.api.admission.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import org.junit.jupiter.api.Test;

class JobSetDefaultsTest {
  private static final String GIVEN =
      """
      {"metadata":{"name":"g"},"spec":{"replicatedJobs":[
        {"name":"w","template":{"spec":{%s"parallelism":2,"template":{"spec":{}}}}}]}}
      """;

  @Test
  void what_the_creation_filled_in_is_filled_in_again_when_a_client_writes_its_list_again() {
    var old = created("");
    var again = jobSet("");

    JobSetDefaults.ofSchema(Trees.child(again, "spec"));
    JobSetDefaults.again(again, old);

    assertThat(again.at("/spec/replicatedJobs")).isEqualTo(old.at("/spec/replicatedJobs"));
  }

  @Test
  void what_was_given_and_is_left_out_stays_out() {
    var old = created("\"backoffLimit\":2147483647,\"completionMode\":\"NonIndexed\",");
    var again = jobSet("");

    JobSetDefaults.again(again, old);

    var spec = again.at("/spec/replicatedJobs/0/template/spec");
    assertThat(spec.has("backoffLimit")).isFalse();
    assertThat(spec.has("completionMode")).isFalse();
    assertThat(spec.path("podReplacementPolicy").asText()).isEqualTo("Failed");
  }

  @Test
  void what_is_given_anew_stays_as_it_is_given() {
    var old = created("");
    var again = jobSet("\"backoffLimit\":3,\"completionMode\":\"NonIndexed\",");

    JobSetDefaults.again(again, old);

    var spec = again.at("/spec/replicatedJobs/0/template/spec");
    assertThat(spec.path("backoffLimit").asInt()).isEqualTo(3);
    assertThat(spec.path("completionMode").asText()).isEqualTo("NonIndexed");
  }

  private static ObjectNode jobSet(String more) {
    return Wire.tree(GIVEN.formatted(more));
  }

  private static ObjectNode created(String more) {
    var jobSet = jobSet(more);
    JobSetDefaults.ofSchema(Trees.child(jobSet, "spec"));
    JobSetDefaults.ofWebhook(Trees.child(jobSet, "spec"));
    JobSetDefaults.ofInPlaceRestart(jobSet);
    return jobSet;
  }
}
