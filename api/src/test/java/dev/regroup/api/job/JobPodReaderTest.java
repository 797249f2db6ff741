package dev.regroup.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.rules.job.JobPod;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobPodReaderTest {

  private static JobPod read(ObjectNode pod) {
    return JobPodReader.read(pod, StatusReader.containers(pod));
  }

  private static JobPod annotated(String key, String value) {
    var pod = Wire.object();
    pod.putObject("metadata").putObject("annotations").put(key, value);
    return read(pod);
  }

  /** JB-34. */
  @Test
  void the_index_comes_from_the_annotation() {
    assertThat(annotated(JobKeys.COMPLETION_INDEX, "7").index()).isEqualTo(OptionalInt.of(7));
    assertThat(read(Wire.object()).index()).isEmpty();
  }

  /** JB-102: a Job looks again only when what it reads has changed. */
  @Test
  void what_an_agent_and_a_node_annotate_is_no_news_for_a_job() {
    assertThat(annotated("jobset.sigs.k8s.io/in-place-restart-attempt", "1"))
        .isEqualTo(annotated("jobset.sigs.k8s.io/in-place-restart-attempt", "2"))
        .isEqualTo(annotated("regroup.dev/restarts", "{}"));
  }

  /** JB-34, JB-33. */
  @ParameterizedTest
  @ValueSource(strings = {"", "x", "-1", "1.5", "99999999999", "2147483648"})
  void a_number_nobody_can_use_is_no_index_and_no_failure(String text) {
    assertThat(annotated(JobKeys.COMPLETION_INDEX, text).index()).isEmpty();
    assertThat(annotated(JobKeys.FAILURE_COUNT, text).failureCount()).isZero();
    assertThat(annotated(JobKeys.IGNORED_COUNT, text).ignoredFailureCount()).isZero();
  }

  /** JB-82: the four sources of the time, each without the ones before it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ENDED 10, ENDED 30            | 30
          ENDED 10, ENDED 30, SIDECAR 40 | 40
          ENDED 10, ENDED 30, INIT 90   | 30
          ENDED 10, RUNS                | 50
          ENDED 10, SIDECAR RUNS        | 50
          ENDED 10, RUNS, READY         | 55
          ENDED 10, RUNS, READY, STAYS  | 5
          """)
  void a_pod_has_finished_when_its_last_container_has(String state, int second) {
    var pod = Wire.object();
    pod.putObject("metadata").put("creationTimestamp", at(5));
    if (!state.contains("STAYS")) {
      pod.withObjectProperty("metadata")
          .put("deletionTimestamp", at(58))
          .put("deletionGracePeriodSeconds", 3);
    }
    var status = pod.putObject("status");
    status
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", state.contains("READY") ? "True" : "False")
        .put("lastTransitionTime", at(50));
    for (String one : state.split(", ", -1)) {
      container(pod, one);
    }

    assertThat(read(pod).finishedAt()).isEqualTo(Instant.parse(at(second)));
  }

  /** JB-71: app containers come first, whatever a status says beside its exit code. */
  @Test
  void containers_are_read_with_the_code_they_ended_with() {
    var pod =
        Wire.tree(
            """
            {"status":{"initContainerStatuses":[{"name":"i","restartCount":2,
                "state":{"terminated":{"exitCode":3}}}],
              "containerStatuses":[
                {"name":"a","restartCount":1,"state":{"running":{}}},
                {"name":"b","state":{"terminated":{"exitCode":-1}}}]}}
            """);

    var read = read(pod);

    assertThat(read.containers())
        .containsExactly(
            new JobPod.Container("a", OptionalInt.empty()),
            new JobPod.Container("b", OptionalInt.of(-1)),
            new JobPod.Container("i", OptionalInt.of(3)));
    assertThat(read.restarts()).isEqualTo(new JobPod.Restarts(3, 1, 0));
  }

  /** JB-84. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                         | false
          {"state":null}                                             | false
          {"state":{"waiting":{"reason":"x"}}}                       | false
          {"state":{"running":{}}}                                   | true
          {"state":{"terminated":{"startedAt":null}}}                | false
          {"state":{"terminated":{"startedAt":"2026-01-01T00:00:00Z"}}} | true
          {"state":{"waiting":{}},"lastState":{"terminated":{}}}     | true
          """)
  void a_worker_has_started_once_it_ran(String status, boolean started) {
    var pod = Wire.object();
    pod.putObject("status").putArray("containerStatuses").add(Wire.tree(status));

    assertThat(read(pod).workerStarted()).isEqualTo(started);
  }

  /** JB-33, JB-34, JB-82: what cannot be read is as if it were not there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"metadata\":null,\"spec\":7,\"status\":[]}",
        "{\"metadata\":{\"finalizers\":\"x\",\"annotations\":[1],\"creationTimestamp\":7}}",
        "{\"status\":{\"phase\":\"Later\",\"conditions\":[null,{}],\"containerStatuses\":{}}}"
      })
  void an_odd_pod_is_a_pending_one_nobody_knows(String json) {
    var read = read(Wire.tree(json));

    assertThat(read.phase()).isEqualTo(JobPod.Phase.PENDING);
    assertThat(read.active()).isTrue();
    assertThat(read.tracked() || read.ready() || read.assigned()).isFalse();
    assertThat(read.containers()).isEmpty();
    assertThat(read.finishedAt()).isEqualTo(Instant.EPOCH);
  }

  private static void container(ObjectNode pod, String word) {
    String list = word.startsWith("ENDED") || word.equals("RUNS") ? "" : "init";
    if (word.equals("READY") || word.equals("STAYS")) {
      return;
    }
    String statuses = list.isEmpty() ? "containerStatuses" : "initContainerStatuses";
    if (!list.isEmpty()) {
      var spec = pod.withObjectProperty("spec").withArrayProperty("initContainers").addObject();
      spec.put("name", word);
      if (word.startsWith("SIDECAR")) {
        spec.put("restartPolicy", "Always");
      }
    }
    var entry = pod.withObjectProperty("status").withArrayProperty(statuses).addObject();
    var state = entry.put("name", word).putObject("state");
    if (word.endsWith("RUNS")) {
      state.putObject("running");
    } else {
      int second = Integer.parseInt(word.substring(word.indexOf(' ') + 1));
      state.putObject("terminated").put("finishedAt", at(second));
    }
  }

  private static String at(int second) {
    return "2026-01-01T00:00:%02dZ".formatted(second);
  }
}
