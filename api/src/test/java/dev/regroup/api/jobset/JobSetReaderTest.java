package dev.regroup.api.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.jobset.JobSetSpec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobSetReaderTest {

  private static final JobSetSpec PLAIN =
      new JobSetSpec(
          "n",
          "a",
          "u",
          List.of(),
          Optional.empty(),
          new JobSetSpec.SuccessPolicy(JobSetSpec.Operator.ALL, List.of()),
          Optional.empty(),
          JobSetSpec.StartOrder.ANY_ORDER,
          false,
          Optional.empty(),
          OptionalInt.empty(),
          List.of());

  private static ObjectNode jobSet(String spec) {
    return Wire.tree(
        "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\"},\"spec\":" + spec + "}");
  }

  @Test
  @DisplayName("JS-10 to JS-26: a spec is read with everything its plan asks for")
  void a_spec_is_read() {
    var spec =
        JobSetReader.spec(
            jobSet(
                """
                {"suspend":true,"ttlSecondsAfterFinished":3,
                 "network":{"subdomain":"x","publishNotReadyAddresses":false},
                 "successPolicy":{"operator":"Any","targetReplicatedJobs":["w"]},
                 "failurePolicy":{"maxRestarts":4,"restartStrategy":"BlockingRecreate","rules":[
                   {"name":"r","action":"RestartJob","onJobFailureReasons":["PodFailurePolicy"],
                    "onJobFailureMessagePatterns":["a.*"],"targetReplicatedJobs":["w"]},
                   {"name":"s","action":"Later"}]},
                 "coordinator":{"replicatedJob":"w","jobIndex":1,"podIndex":2},
                 "startupPolicy":{"startupPolicyOrder":"InOrder"},
                 "volumeClaimPolicies":[{"templates":[{"metadata":{"name":"c"}},
                   {"metadata":{"name":"d"}}]}],
                 "replicatedJobs":[
                   {"name":"w","replicas":2,"groupName":"g","dependsOn":[
                     {"name":"v","status":"Ready"},{"name":"z","status":"Complete"}],
                    "template":{"spec":{"parallelism":5,"completions":6}}},
                   {"name":"v","template":{"metadata":{"annotations":{
                     "jobset.sigs.k8s.io/inject-in-place-restart-agent":"none"}},
                     "spec":{"completionMode":"NonIndexed"}}}]}
                """));

    assertThat(spec)
        .isEqualTo(
            new JobSetSpec(
                "n",
                "a",
                "u",
                List.of(
                    new JobSetSpec.ReplicatedJob(
                        "w",
                        "g",
                        2,
                        5,
                        OptionalInt.of(6),
                        true,
                        List.of(
                            new JobSetSpec.Dependency("v", JobSetSpec.Until.READY),
                            new JobSetSpec.Dependency("z", JobSetSpec.Until.COMPLETE)),
                        true),
                    new JobSetSpec.ReplicatedJob(
                        "v", "default", 1, 1, OptionalInt.empty(), false, List.of(), false)),
                Optional.of(new JobSetSpec.Network("x", false)),
                new JobSetSpec.SuccessPolicy(JobSetSpec.Operator.ANY, List.of("w")),
                Optional.of(
                    new JobSetSpec.FailurePolicy(
                        4,
                        JobSetSpec.Strategy.BLOCKING_RECREATE,
                        List.of(
                            new JobSetSpec.FailureRule(
                                "r",
                                JobSetSpec.FailureAction.RESTART_JOB,
                                List.of("PodFailurePolicy"),
                                List.of("a.*"),
                                List.of("w"))))),
                JobSetSpec.StartOrder.IN_ORDER,
                true,
                Optional.of(new JobSetSpec.Coordinator("w", 1, 2)),
                OptionalInt.of(3),
                List.of("c", "d")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "null",
        "7",
        "{\"replicatedJobs\":{},\"network\":null,\"failurePolicy\":\"x\",\"coordinator\":[]}",
        "{\"replicatedJobs\":[null,7],\"suspend\":\"true\",\"ttlSecondsAfterFinished\":1.5}",
        "{\"successPolicy\":{\"operator\":\"Most\",\"targetReplicatedJobs\":7}}",
        "{\"startupPolicy\":{\"startupPolicyOrder\":\"Later\"},\"volumeClaimPolicies\":[7]}"
      })
  @DisplayName("JS-10 to JS-26: what is absent, null, of another type or unknown is absent")
  void odd_fields_are_absent(String spec) {
    assertThat(JobSetReader.spec(jobSet(spec))).isEqualTo(PLAIN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          null                            | none | false
          {}                              | a    | true
          {"enableDNSHostnames":null}     | a    | true
          {"enableDNSHostnames":7}        | a    | true
          {"enableDNSHostnames":true}     | a    | true
          {"enableDNSHostnames":false}    | none | false
          {"subdomain":"x"}               | x    | true
          {"subdomain":7}                 | a    | true
          """)
  @DisplayName("JS-10, JS-11, JS-98: a Service is named after the subdomain, else the JobSet")
  void a_network_has_a_name_unless_it_is_switched_off(
      String network, String subdomain, boolean publishes) {
    var read = JobSetReader.spec(jobSet("{\"network\":" + network + "}")).network();

    assertThat(read.map(JobSetSpec.Network::subdomain).orElse(null)).isEqualTo(subdomain);
    assertThat(read.map(JobSetSpec.Network::publishNotReadyAddresses).orElse(false))
        .isEqualTo(publishes);
  }

  @ParameterizedTest
  @CsvSource({
    "null, false",
    "7, false",
    "'\"jobset.sigs.k8s.io/jobset-controller\"', false",
    "'\"regroup.dev/jobset-controller\"', false",
    "'\"example.com/other\"', true"
  })
  @DisplayName("JS-23, JS-73: only a foreign manager takes a JobSet away")
  void a_manager_is_foreign_or_not(String manager, boolean elsewhere) {
    assertThat(JobSetReader.managedElsewhere(jobSet("{\"managedBy\":" + manager + "}")))
        .isEqualTo(elsewhere);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          {}                                                                | none | none
          null                                                              | none | none
          {"currentInPlaceRestartAttempt":0}                                | 0    | none
          {"currentInPlaceRestartAttempt":3,"previousInPlaceRestartAttempt":2} | 3 | 2
          {"currentInPlaceRestartAttempt":3,"syncedEpoch":9,"deprecatedEpoch":8} | 3 | none
          {"previousInPlaceRestartAttempt":0,"syncedEpoch":9}               | none | 0
          {"syncedEpoch":4,"deprecatedEpoch":3}                             | 3    | 2
          {"syncedEpoch":0,"deprecatedEpoch":0}                             | none | none
          {"currentInPlaceRestartAttempt":null,"syncedEpoch":1}             | 0    | none
          {"currentInPlaceRestartAttempt":"3","syncedEpoch":1}              | 0    | none
          {"currentInPlaceRestartAttempt":99999999999,"syncedEpoch":1.5}    | none | none
          """)
  @DisplayName("JS-150, JS-151, JS-153: orders are the released pair, else the draft's")
  void orders_are_read_by_either_name(String status, Integer current, Integer previous) {
    var jobSet = jobSet("{\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"}}");
    jobSet.set("status", Wire.tree("{\"a\":" + status + "}").path("a"));

    assertThat(JobSetReader.orders(jobSet)).isEqualTo(GroupOrders.of(of(current), of(previous)));
  }

  private static OptionalInt of(Integer value) {
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }

  @Test
  @DisplayName("JS-37, JS-127: a JobSet that is not restarted in place lets its pods pass")
  void a_jobset_without_a_barrier_has_no_orders() {
    var disabled = jobSet("{\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"}}");
    disabled.withObject("/metadata/annotations").put(JobSetKeys.DISABLE_IN_PLACE_RESTART, "false");

    for (var jobSet : List.of(disabled, jobSet("{}"), jobSet("{\"failurePolicy\":7}"))) {
      assertThat(JobSetReader.orders(jobSet).knowledge()).isEqualTo(GroupOrders.Knowledge.BYPASS);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'status':{'conditions':[{'type':'Completed','status':'True'}]}}",
        "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}",
        "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}"
      })
  @DisplayName("JS-144: what a JobSet says that is over is no order")
  void a_jobset_that_is_over_orders_nothing(String end) {
    var jobSet = jobSet("{\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"}}");
    jobSet.withObject("/status").put("currentInPlaceRestartAttempt", 1);
    assertThat(JobSetReader.orders(jobSet)).isEqualTo(GroupOrders.of(of(1), of(null)));

    var over = Wire.tree(end.replace('\'', '"'));
    jobSet.withObject("/status").setAll(over.withObject("/status"));
    jobSet.withObject("/metadata").setAll(over.withObject("/metadata"));

    assertThat(JobSetReader.orders(jobSet)).isEqualTo(GroupOrders.UNKNOWN);
  }
}
