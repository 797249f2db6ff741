package dev.regroup.api.admission.review;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.api.admission.pod.PodDefaults;
import dev.regroup.api.admission.pod.PodValidation;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What only the product does: draft spellings, extended rules, in-place defaults. */
class ProductAdmissionTest {

  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
  private static final GroupVersionKind JOB_SET =
      new GroupVersionKind("jobset.x-k8s.io", "v1alpha2", "JobSet");

  @Test
  void act_03_restart_pod_is_stored_under_its_released_name() throws Undecodable {
    var admitted = pod("{\"action\": \"RestartPod\", \"exitCodes\": {\"operator\": \"In\"}}");

    assertThat(rule(admitted).path("action").asText()).isEqualTo("RestartAllContainers");
    assertThat(admitted.warnings()).anyMatch(text -> text.contains("RestartPod is an old name"));
  }

  @Test
  void act_11_all_spellings_of_a_condition_are_folded_into_one() throws Undecodable {
    for (String condition :
        List.of(
            "\"when\": {\"exitCodes\": {\"operator\": \"NoIn\", \"values\": [7]}}",
            "\"onExit\": {\"exitCodes\": {\"operator\": \"NoIn\", \"values\": [7]}}",
            "\"onExitCodes\": {\"operator\": \"NoIn\", \"values\": [7]}")) {
      var admitted = pod("{\"action\": \"Restart\", " + condition + "}");

      assertThat(admitted.errors()).isEmpty();
      assertThat(rule(admitted).toString())
          .isEqualTo(
              "{\"action\":\"Restart\",\"exitCodes\":{\"operator\":\"NotIn\",\"values\":[7]}}");
    }
  }

  @Test
  void act_12_two_spellings_or_two_conditions_are_invalid() throws Undecodable {
    var twoSpellings =
        pod(
            "{\"action\": \"Restart\", \"exitCodes\": {\"operator\": \"In\"},"
                + " \"when\": {\"exitCodes\": {\"operator\": \"In\"}}}");
    var twoConditions =
        pod("{\"action\": \"Restart\", \"exitCodes\": {\"operator\": \"In\"}, \"exit\": {}}");

    for (Admitted admitted : List.of(twoSpellings, twoConditions)) {
      assertThat(admitted.errors())
          .singleElement()
          .satisfies(error ->
              assertThat(error.path().toString())
                  .isEqualTo("spec.containers[0].restartPolicyRules[0]"));
    }
  }

  @Test
  void act_13_the_extended_actions_are_offered_in_order() throws Undecodable {
    var admitted = pod("{\"action\": \"Nope\", \"exit\": {}}");

    assertThat(admitted.errors().getFirst().body())
        .isEqualTo(
            "Unsupported value: \"Nope\": supported values: \"Complete\", \"Restart\","
                + " \"RestartAllContainers\", \"Terminate\", \"TerminatePod\"");
  }

  @Test
  void act_07_and_val_26_extras_belong_to_restart_all_only() throws Undecodable {
    var admitted =
        pod(
            "{\"action\": \"Restart\", \"exit\": {}, \"keep\": [\"x\"],"
                + " \"terminationGracePeriodSeconds\": 3}");
    var unknown = pod("{\"action\": \"RestartAllContainers\", \"exit\": {}, \"keep\": [\"x\"]}");

    assertThat(admitted.errors())
        .extracting(FieldError::kind)
        .containsExactly(FieldError.Kind.FORBIDDEN, FieldError.Kind.FORBIDDEN);
    assertThat(unknown.errors())
        .singleElement()
        .satisfies(error -> assertThat(error.path().toString()).endsWith("keep[0]"));
  }

  @Test
  void tpc_27_every_shape_of_on_completion_becomes_the_text() throws Undecodable {
    for (String lifecycle :
        List.of(
            "{\"onCompletion\": \"terminatepod\"}",
            "{\"onCompletion\": {\"builtin\": \"TerminatePod\"}}",
            "{\"type\": \"keystone\"}")) {
      var admitted =
          create(
              POD,
              pod("Never", "\"lifecycle\": " + lifecycle),
              AdmissionSettings.of(Gates.product()));

      assertThat(admitted.errors()).isEmpty();
      assertThat(Trees.at(admitted.object(), "spec", "containers").path(0).path("lifecycle"))
          .hasToString("{\"onCompletion\":\"TerminatePod\"}");
    }
  }

  /** API-10 */
  @Test
  void api_10_a_stop_signal_is_kept_where_the_system_is_named_and_refused_elsewhere()
      throws Undecodable {
    var kept = create(POD, systemPod("linux", "SIGRTMIN+3"), AdmissionSettings.of(Gates.product()));
    assertThat(kept.errors()).isEmpty();
    assertThat(kept.object().at("/spec/containers/0/lifecycle/stopSignal").asText())
        .isEqualTo("SIGRTMIN+3");

    var unknown = create(POD, systemPod("linux", "SIGNOPE"), AdmissionSettings.of(Gates.product()));
    assertThat(unknown.errors())
        .singleElement()
        .satisfies(error ->
            assertThat(error.body())
                .startsWith("Unsupported value: \"SIGNOPE\": supported values: \"SIGABRT\""));

    var nowhere =
        create(
            POD,
            pod("Never", "\"lifecycle\": {\"stopSignal\": \"SIGUSR1\"}"),
            AdmissionSettings.of(Gates.product()));
    assertThat(nowhere.errors())
        .singleElement()
        .satisfies(error ->
            assertThat(error.body())
                .isEqualTo("Forbidden: may not be set for containers with empty `spec.os.name`"));
  }

  private static String systemPod(String system, String signal) {
    String pod = pod("Never", "\"lifecycle\": {\"stopSignal\": \"%s\"}".formatted(signal));
    return pod.replaceFirst(
        "\"spec\": *\\{", "\"spec\": {\"os\": {\"name\": \"%s\"}, ".formatted(system));
  }

  @Test
  void val_28_on_completion_is_forbidden_while_its_gate_is_off() throws Undecodable {
    var gates = Gates.product().with("TerminatePodOnContainerCompletion=false").gates();

    var admitted =
        create(
            POD,
            pod("Never", "\"lifecycle\": {\"onCompletion\": \"TerminatePod\"}"),
            AdmissionSettings.of(gates));

    assertThat(admitted.errors())
        .singleElement()
        .extracting(FieldError::kind)
        .isEqualTo(FieldError.Kind.FORBIDDEN);
  }

  @Test
  void gate_10_rules_are_dropped_silently_while_their_gate_is_off() throws Undecodable {
    var gates =
        Gates.product()
            .with("ContainerRestartRules=false,RestartAllContainersOnContainerExits=false")
            .gates();

    var admitted =
        create(
            POD,
            pod("Never", "\"restartPolicy\": \"Never\", \"restartPolicyRules\": [{}]"),
            AdmissionSettings.of(gates));

    assertThat(admitted.errors()).isEmpty();
    assertThat(Trees.at(admitted.object(), "spec", "containers").path(0).has("restartPolicy"))
        .isFalse();
  }

  /** Reachable only where nothing was dropped before, as with a file of a static pod (ACC-167). */
  @Test
  void acc_167_val_10_and_val_11_policies_are_refused_where_the_gate_is_off() {
    var gates =
        Gates.product()
            .with("ContainerRestartRules=false,RestartAllContainersOnContainerExits=false")
            .gates();
    ObjectNode file = Wire.tree(pod("Never", "\"restartPolicy\": \"Never\""));
    PodDefaults.ofPod(Trees.child(file, "spec"));
    ObjectNode init = Trees.objects(file, "spec", "containers").getFirst().deepCopy();
    Trees.list(Trees.child(file, "spec"), "initContainers").add(init.put("name", "i"));

    var errors = PodValidation.pod(PodOptions.of(gates, null), file);

    assertThat(errors)
        .extracting(FieldError::toString)
        .containsExactly(
            "spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers",
            "spec.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values:"
                + " \"Always\"");
  }

  @Test
  void imm_04_a_final_phase_stays_in_the_product_only() {
    var stored = Wire.tree("{\"metadata\": {\"name\": \"p\"}, \"spec\": {}, \"status\": {}}");
    Trees.child(stored, "status").put("phase", "Failed");
    ObjectNode wanted = stored.deepCopy();
    Trees.child(wanted, "status").put("phase", "Running");

    assertThat(status(wanted, stored, Gates.product()).refusal()).isPresent();
    assertThat(status(wanted, stored, Gates.upstream()).refusal()).isEmpty();
  }

  @Test
  void js_42b_only_the_strategy_is_needed_and_the_rest_is_filled_in() throws Undecodable {
    var admitted = create(JOB_SET, inPlace(""), AdmissionSettings.of(Gates.product()));

    var spec = Trees.at(admitted.object(), "spec", "replicatedJobs").path(0).path("template");
    assertThat(admitted.errors()).isEmpty();
    assertThat(spec.path("spec").path("backoffLimit").intValue()).isEqualTo(Integer.MAX_VALUE);
    assertThat(spec.path("spec").path("podReplacementPolicy").asText()).isEqualTo("Failed");
    assertThat(spec.path("spec").path("completions").intValue()).isEqualTo(1);
    assertThat(
            Trees.text(
                admitted.object(),
                "metadata",
                "annotations",
                JobSetKeys.IN_PLACE_RESTART_DEFAULTED))
        .contains("backoffLimit");
    assertThat(admitted.warnings()).anyMatch(text -> text.contains("filled in"));
  }

  @Test
  void js_43_and_js_45_a_refusal_names_the_webhook() throws Undecodable {
    var admitted = create(JOB_SET, inPlace(""), AdmissionSettings.of(Gates.upstream()));

    assertThat(Trees.text(admitted.refusal().orElseThrow(), "message"))
        .startsWith("admission webhook \"vjobset.kb.io\" denied the request: ")
        .contains("feature gate is disabled");
  }

  @Test
  void js_57a_without_injection_an_agent_is_demanded() throws Undecodable {
    var admitted =
        create(
            JOB_SET,
            inPlace("\"annotations\": {\"" + JobSetKeys.INJECT_AGENT + "\": \"false\"},"),
            AdmissionSettings.of(Gates.product()));

    assertThat(admitted.errors())
        .singleElement()
        .satisfies(error -> assertThat(error.path().toString()).endsWith("initContainers"));
  }

  @Test
  void js_132b_a_worker_without_rules_restarts_all_but_for_fatal_codes() {
    ObjectNode jobSet =
        Wire.tree("{\"spec\": {\"failurePolicy\": {\"restartStrategy\": \"InPlaceRestart\"}}}");
    ObjectNode job =
        Wire.tree(
            """
            {"spec": {
              "podFailurePolicy": {"rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3, 9]}}]},
              "template": {"spec": {"containers": [
                {"name": "worker"}, {"name": "helper", "restartPolicy": "Always"}]}}}}
            """);

    AgentInjection.inject(job, jobSet, Wire.object());

    var template = Trees.at(job, "spec", "template");
    assertThat(Trees.text(template, "metadata", "annotations", JobSetKeys.INJECT_AGENT))
        .isEqualTo("node");
    assertThat(Trees.at(template, "spec", "containers").path(0).path("restartPolicyRules"))
        .hasToString(
            "[{\"action\":\"RestartAllContainers\","
                + "\"exitCodes\":{\"operator\":\"NotIn\",\"values\":[0,3,9]}}]");
    assertThat(Trees.at(template, "spec", "containers").path(1).has("restartPolicyRules"))
        .isFalse();
  }

  private static Admitted pod(String rule) throws Undecodable {
    return create(
        POD,
        pod("Never", "\"restartPolicy\": \"Never\", \"restartPolicyRules\": [" + rule + "]"),
        AdmissionSettings.of(Gates.product()));
  }

  private static String pod(String policy, String container) {
    return "{\"metadata\": {\"name\": \"p\", \"namespace\": \"n\"}, \"spec\": {\"restartPolicy\":"
        + " \""
        + policy
        + "\", \"containers\": [{\"name\": \"c\", \"image\": \"i:1\", "
        + container
        + "}]}}";
  }

  private static String inPlace(String metadata) {
    return "{\"metadata\": {"
        + metadata
        + " \"name\": \"js\", \"namespace\": \"n\"},"
        + """
        "spec": {"failurePolicy": {"restartStrategy": "InPlaceRestart"},
          "replicatedJobs": [{"name": "w", "template": {"spec": {"template": {"spec": {
            "containers": [{"name": "c", "image": "i:1"}]}}}}}]}}
        """;
  }

  private static Admitted create(GroupVersionKind kind, String json, AdmissionSettings settings)
      throws Undecodable {
    var schema = Schema.of(settings.gates(), settings.decoding());
    var decoded = new Decoder(schema).decode(new Document(Wire.tree(json), List.of()), kind);
    return review(kind, Operation.CREATE, decoded.object(), null, settings);
  }

  private static Admitted status(ObjectNode wanted, ObjectNode stored, Gates gates) {
    var settings = new AdmissionSettings(gates, Decoding.STRICT, TokenVolumes.NONE);
    return review(POD, Operation.UPDATE_STATUS, wanted, stored, settings);
  }

  private static Admitted review(
      GroupVersionKind kind,
      Operation operation,
      ObjectNode object,
      @Nullable ObjectNode old,
      AdmissionSettings settings) {
    return new Admission(settings, new Random(1))
        .admit(new Review(kind, operation, object, old), Lookup.NOTHING);
  }

  private static ObjectNode rule(Admitted admitted) {
    return Trees.objects(
            Trees.at(admitted.object(), "spec", "containers").path(0), "restartPolicyRules")
        .getFirst();
  }
}
