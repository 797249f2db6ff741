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

  /** JB-31. */
  @Test
  void the_name_of_a_long_job_is_cut_by_the_server_or_before_the_index() {
    var name = "n".repeat(60);

    assertThat(JobPods.prefix(name, -1)).isEqualTo(name + "-");
    assertThat(JobPods.prefix(name, 12)).isEqualTo("n".repeat(54) + "-12-");
  }

  /** JB-30. */
  @Test
  void a_pod_has_the_tracking_finalizer_once() {
    var job = job("");
    job.withObject("/spec/template/metadata")
        .putArray("finalizers")
        .add("batch.kubernetes.io/job-tracking")
        .add("example.com/keep");

    var pod = JobPods.make(job, new JobPlan.NewPod(-1, 0, 0));

    assertThat(pod.at("/metadata/finalizers"))
        .extracting(one -> one.asText())
        .containsExactly("batch.kubernetes.io/job-tracking", "example.com/keep");
  }
}
