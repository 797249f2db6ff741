package dev.regroup.control.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.job.JobPlan;
import org.junit.jupiter.api.Test;

class JobPodsTest {

  private static ObjectNode job(String spec) {
    return Wire.tree(
        """
        {"metadata":{"name":"train-w-0","namespace":"default","uid":"u"},
         "spec":{%s"template":{"spec":{"subdomain":"train","containers":[{"name":"c"}]}}}}
        """
            .formatted(spec));
  }

  /** JS-31. */
  @Test
  void an_indexed_pod_is_named_and_reached_by_its_index() {
    var pod = JobPods.make(job(""), new JobPlan.NewPod(3, 0, 0));

    assertThat(pod.at("/metadata/generateName").asText()).isEqualTo("train-w-0-3-");
    assertThat(pod.at("/spec/hostname").asText()).isEqualTo("train-w-0-3");
    assertThat(pod.at("/spec/subdomain").asText()).isEqualTo("train");
  }

  /** JB-33. */
  @Test
  void a_pod_carries_the_failures_of_its_index_when_they_are_limited() {
    String failures = "batch.kubernetes.io/job-index-failure-count";
    String ignored = "batch.kubernetes.io/job-index-ignored-failure-count";
    var limited = job("\"backoffLimitPerIndex\":2,");

    var first = JobPods.make(limited, new JobPlan.NewPod(3, 0, 0)).at("/metadata/annotations");
    var later = JobPods.make(limited, new JobPlan.NewPod(3, 2, 1)).at("/metadata/annotations");
    var unlimited = JobPods.make(job(""), new JobPlan.NewPod(3, 2, 1)).at("/metadata/annotations");

    assertThat(first.path(failures).asText()).isEqualTo("0");
    assertThat(first.has(ignored)).isFalse();
    assertThat(later.path(failures).asText()).isEqualTo("2");
    assertThat(later.path(ignored).asText()).isEqualTo("1");
    assertThat(unlimited.has(failures) || unlimited.has(ignored)).isFalse();
  }
}
