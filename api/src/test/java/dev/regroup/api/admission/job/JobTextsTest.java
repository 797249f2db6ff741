package dev.regroup.api.admission.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Texts that repeat a value read as Kubernetes writes them. */
class JobTextsTest {

  private static ObjectNode job(String policies) {
    return Wire.tree(
        """
        {"metadata":{"name":"a"},"spec":{"completionMode":"Indexed","completions":2,
         "parallelism":2,"template":{"spec":{"restartPolicy":"Never"}}%s}}
        """
            .formatted(policies));
  }

  @Test
  void a_changed_failure_policy_is_printed_with_every_field() {
    var old = job("");
    var now =
        job(
            """
            ,"podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"In",
             "values":[3]}}]},"successPolicy":{"rules":[{"succeededCount":1}]}
            """);

    assertThat(JobUpdates.check(now, old))
        .extracting(Object::toString)
        .containsExactly(
            "spec.podFailurePolicy: Invalid value: {\"Rules\":[{\"Action\":\"FailJob\","
                + "\"OnExitCodes\":{\"ContainerName\":null,\"Operator\":\"In\",\"Values\":[3]},"
                + "\"OnPodConditions\":null}]}: field is immutable",
            "spec.successPolicy: Invalid value: {\"Rules\":[{\"SucceededIndexes\":null,"
                + "\"SucceededCount\":1}]}: field is immutable");
  }

  @Test
  void a_changed_failure_policy_that_is_gone_is_null() {
    var old = job(",\"podFailurePolicy\":{\"rules\":[]}");

    assertThat(JobUpdates.check(job(""), old))
        .extracting(Object::toString)
        .containsExactly("spec.podFailurePolicy: Invalid value: null: field is immutable");
  }

  @Test
  void a_count_above_the_completions_or_above_the_indexes_says_which() {
    String above = "spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less";

    assertThat(problems("{\"succeededCount\":3}"))
        .containsExactly(above + " than or equal to 2 (the number of specified completions)");
    assertThat(problems("{\"succeededCount\":3,\"succeededIndexes\":\"1\"}"))
        .containsExactly(
            above + " than or equal to 2 (the number of specified completions)",
            above
                + " than or equal to 1 (the number of indexes in the specified succeededIndexes"
                + " field)");
    assertThat(problems("{\"succeededCount\":2}")).isEmpty();
  }

  private static List<String> problems(String rule) {
    var spec = job(",\"successPolicy\":{\"rules\":[%s]}".formatted(rule)).path("spec");
    var errors = new ArrayList<FieldError>();
    new JobPolicies(errors).successPolicy(spec, FieldPath.of("spec"));
    return errors.stream().map(FieldError::toString).toList();
  }
}
