package dev.regroup.api.admission.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnnotationChecksTest {

  private static List<String> errors(String own, String job, String pod) {
    var jobSet =
        Wire.tree(
            """
            {"metadata":{"annotations":{"regroup.dev/restart-grace":"%s"}},
             "spec":{"replicatedJobs":[{"name":"w","template":{
               "metadata":{"annotations":{"regroup.dev/restart-grace":"%s"}},
               "spec":{"template":{"metadata":{"annotations":{
                 "regroup.dev/restart-grace":"%s"}}}}}}]}}
            """
                .formatted(own, job, pod));
    var errors = new ArrayList<FieldError>();
    AnnotationChecks.check(jobSet, errors);
    return errors.stream().map(error -> error.path() + ": " + error.detail()).toList();
  }

  @Test
  void js_169_whole_seconds_from_0_to_600_are_accepted() {
    assertThat(errors("0", "600", "2")).isEmpty();
  }

  @Test
  void js_169_anything_else_is_refused_where_it_stands() {
    var problem = "must be a whole number of seconds from 0 to 600";

    assertThat(errors("601", "-1", "2s"))
        .containsExactly(
            "metadata.annotations[regroup.dev/restart-grace]: " + problem,
            "spec.replicatedJobs[0].template.metadata.annotations[regroup.dev/restart-grace]: "
                + problem,
            "spec.replicatedJobs[0].template.spec.template.metadata"
                + ".annotations[regroup.dev/restart-grace]: "
                + problem);
  }
}
