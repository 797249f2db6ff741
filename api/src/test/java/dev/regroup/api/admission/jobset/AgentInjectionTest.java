package dev.regroup.api.admission.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgentInjectionTest {

  private static final String WORKER = "{\"name\": \"worker\", \"image\": \"w:1\"}";

  @Test
  void js_132b_the_node_is_the_agent_unless_somebody_picks_another() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet(""), Wire.object());

    assertThat(kind(job)).isEqualTo("node");
    assertThat(podSpec(job).has("initContainers")).isFalse();
    assertThat(podSpec(job).has("serviceAccountName")).isFalse();
    assertThat(container(job, 0).path("restartPolicyRules"))
        .hasToString(
            "[{\"action\":\"RestartAllContainers\","
                + "\"exitCodes\":{\"operator\":\"NotIn\",\"values\":[0]}}]");
  }

  @Test
  void js_132b_a_cluster_gets_a_sidecar() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet(""), Wire.object(), AgentSettings.CLUSTER);

    assertThat(kind(job)).isEqualTo("sidecar");
    assertThat(agent(job).path("image").asText()).isEqualTo(AgentSettings.IMAGE);
  }

  @Test
  void js_130_a_sidecar_holds_the_barrier_with_its_startup_probe() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet("sidecar"), Wire.object());

    assertThat(agent(job).path("restartPolicy").asText()).isEqualTo("Always");
    assertThat(agent(job).path("startupProbe").path("httpGet"))
        .hasToString("{\"path\":\"/barrier-is-down\",\"port\":8081}");
    assertThat(agent(job).path("startupProbe").path("periodSeconds").intValue()).isEqualTo(1);
    assertThat(agent(job).path("env").findValuesAsText("name"))
        .containsExactly("JOBSET_NAME", "JOBSET_UID", "POD_NAME");
    assertThat(podSpec(job).path("serviceAccountName").asText())
        .isEqualTo("jobset-in-place-restart");
    assertThat(container(job, 0).path("restartPolicyRules").path(0).path("action").asText())
        .isEqualTo("RestartAllContainers");
  }

  @Test
  void js_145_init_containers_of_the_user_run_before_the_agent() {
    ObjectNode job = job(WORKER, "");
    Trees.list(podSpec(job), "initContainers").addObject().put("name", "fetch");

    AgentInjection.inject(job, jobSet("sidecar"), Wire.object());

    assertThat(podSpec(job).path("initContainers").findValuesAsText("name"))
        .startsWith("fetch", "in-place-restart-agent");
  }

  @Test
  void js_131_a_slow_start_of_the_group_never_fails_the_probe() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet("sidecar"), Wire.object());

    assertThat(agent(job).path("startupProbe").path("failureThreshold").intValue())
        .isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void js_138_every_exit_of_the_sidecar_restarts_the_pod_also_0() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet("sidecar"), Wire.object());

    assertThat(agent(job).path("restartPolicyRules"))
        .hasToString(
            "[{\"action\":\"RestartAllContainers\","
                + "\"exitCodes\":{\"operator\":\"NotIn\",\"values\":[]}}]");
  }

  @Test
  void js_166_agent_and_workers_share_the_folder_of_the_attempt() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet("sidecar"), Wire.object());

    String mounts = "[{\"name\":\"jobset-restart\",\"mountPath\":\"/var/run/jobset\"}]";
    assertThat(agent(job).path("volumeMounts")).hasToString(mounts);
    assertThat(container(job, 0).path("volumeMounts")).hasToString(mounts);
    assertThat(podSpec(job).path("volumes"))
        .hasToString("[{\"name\":\"jobset-restart\",\"emptyDir\":{}}]");
  }

  @Test
  void js_132h_an_account_of_the_users_own_stays() {
    ObjectNode job = job(WORKER, "");
    podSpec(job).put("serviceAccountName", "mine");

    AgentInjection.inject(job, jobSet("sidecar"), Wire.object());

    assertThat(podSpec(job).path("serviceAccountName").asText()).isEqualTo("mine");
  }

  @Test
  void js_132a_a_process_agent_runs_the_first_worker_and_knows_fatal_codes() {
    ObjectNode job =
        job(
            "{\"name\": \"worker\", \"image\": \"w:1\", \"command\": [\"python\", \"it's.py\"],"
                + " \"args\": [\"--steps\", \"5\"]}",
            "\"podFailurePolicy\": {\"rules\": [{\"action\": \"FailJob\","
                + " \"onExitCodes\": {\"operator\": \"In\", \"values\": [3]}}]},");

    AgentInjection.inject(job, jobSet("process"), Wire.object());

    assertThat(kind(job)).isEqualTo("process");
    assertThat(Trees.texts(container(job, 0), "command"))
        .containsExactly("/in-place-restart/in-place-restart-agent");
    assertThat(container(job, 0).has("args")).isFalse();
    assertThat(variable(job, "WORKER_COMMAND")).isEqualTo("'python' 'it'\\''s.py' '--steps' '5'");
    assertThat(variable(job, "IN_PLACE_RESTART_MODE")).isEqualTo("process");
    assertThat(variable(job, "IN_PLACE_RESTART_FATAL_EXIT_CODES")).isEqualTo("3");
    assertThat(Trees.texts(agent(job), "command"))
        .containsExactly("/in-place-restart-agent", "install", "/install");
    assertThat(agent(job).path("volumeMounts"))
        .hasToString("[{\"name\":\"in-place-restart-program\",\"mountPath\":\"/install\"}]");
    assertThat(container(job, 0).path("volumeMounts"))
        .hasToString(
            "[{\"name\":\"in-place-restart-program\",\"mountPath\":\"/in-place-restart\"},"
                + "{\"name\":\"jobset-restart\",\"mountPath\":\"/var/run/jobset\"}]");
  }

  /** DEC-10, JS-132a: the node must not start again what the agent ended by a rule. */
  @Test
  void js_132a_rules_go_to_a_process_agent_and_leave_the_rest_to_the_node() {
    ObjectNode job =
        job(
            "{\"name\": \"worker\", \"image\": \"w:1\", \"command\": [\"x\"],"
                + " \"restartPolicy\": \"Never\", \"restartPolicyRules\": ["
                + "{\"action\": \"Restart\", \"exitCodes\": {\"operator\": \"NotIn\", \"values\":"
                + " [0, 3]}}]}",
            "");

    AgentInjection.inject(job, jobSet("process"), Wire.object());

    assertThat(variable(job, "IN_PLACE_RESTART_RULES"))
        .startsWith("{\"restartPolicyRules\":[{\"action\":\"Restart\"");
    var left = container(job, 0).path("restartPolicyRules");
    assertThat(left).hasSize(1);
    assertThat(Trees.text(left.path(0), "action")).isEqualTo("RestartAllContainers");
    assertThat(Trees.integers(left.path(0), "exitCodes", "values"))
        .hasSize(254)
        .doesNotContain(0, 3)
        .contains(1, 137, 255);
  }

  /** COND-02: a code that ends the container only after some restarts is never the node's. */
  @Test
  void js_132a_rules_of_the_annotation_win_and_may_leave_nothing() {
    ObjectNode job = job("{\"name\": \"worker\", \"image\": \"w:1\", \"command\": [\"x\"]}", "");
    Trees.child(
            Trees.child(Trees.child(Trees.child(job, "spec"), "template"), "metadata"),
            "annotations")
        .put(
            JobSetKeys.RULES,
            "{\"worker\":{\"restartPolicyRules\":[{\"action\":\"Terminate\",\"restartTimes\":2},"
                + "{\"action\":\"Restart\",\"exit\":{}}]}}");

    AgentInjection.inject(job, jobSet("process"), Wire.object());

    assertThat(variable(job, "IN_PLACE_RESTART_RULES")).contains("\"restartTimes\":2");
    assertThat(container(job, 0).path("restartPolicy").asText()).isEqualTo("Never");
    assertThat(container(job, 0).path("restartPolicyRules")).isEmpty();
  }

  @Test
  void js_132b_another_text_names_the_image_of_the_agent() {
    ObjectNode job = job(WORKER, "");

    AgentInjection.inject(job, jobSet("example.org/agent:7"), Wire.object());

    assertThat(kind(job)).isEqualTo("sidecar");
    assertThat(agent(job).path("image").asText()).isEqualTo("example.org/agent:7");
  }

  @Test
  void js_132b_the_template_wins_and_only_a_template_stands_aside() {
    ObjectNode aside = job(WORKER, "");
    ObjectNode all = job(WORKER, "");
    var entry =
        Wire.tree(
            "{\"template\": {\"metadata\": {\"annotations\": {\""
                + JobSetKeys.INJECT_AGENT
                + "\": \"none\"}}}}");

    AgentInjection.inject(aside, jobSet("sidecar"), entry);
    AgentInjection.inject(all, jobSet("none"), Wire.object());

    assertThat(kind(aside)).isEqualTo("none");
    assertThat(container(aside, 0).has("restartPolicyRules")).isFalse();
    assertThat(kind(all)).isEqualTo("node");
  }

  @Test
  void js_132b_a_template_with_an_agent_keeps_it_and_false_adds_nothing() {
    ObjectNode own =
        job(
            "{\"name\": \"worker\", \"env\": [{\"name\": \"WORKER_COMMAND\", \"value\": \"x\"}]}",
            "");
    ObjectNode off = job(WORKER, "");

    AgentInjection.inject(own, jobSet(""), Wire.object(), AgentSettings.CLUSTER);
    AgentInjection.inject(off, jobSet("false"), Wire.object());

    assertThat(kind(own)).isEqualTo("present");
    assertThat(podSpec(own).has("initContainers")).isFalse();
    assertThat(off).isEqualTo(job(WORKER, ""));
  }

  private static ObjectNode jobSet(String choice) {
    ObjectNode jobSet =
        Wire.tree("{\"spec\": {\"failurePolicy\": {\"restartStrategy\": \"InPlaceRestart\"}}}");
    if (!choice.isEmpty()) {
      Trees.child(Trees.child(jobSet, "metadata"), "annotations")
          .put(JobSetKeys.INJECT_AGENT, choice);
    }
    return jobSet;
  }

  private static ObjectNode job(String container, String spec) {
    return Wire.tree(
        "{\"spec\": {"
            + spec
            + "\"template\": {\"spec\": {\"containers\": ["
            + container
            + "]}}}}");
  }

  private static ObjectNode podSpec(ObjectNode job) {
    return Trees.object(job, "spec", "template", "spec").orElseThrow();
  }

  private static ObjectNode container(ObjectNode job, int index) {
    return Trees.objects(podSpec(job), "containers").get(index);
  }

  private static ObjectNode agent(ObjectNode job) {
    return Trees.objects(podSpec(job), "initContainers").getLast();
  }

  private static String kind(ObjectNode job) {
    return Trees.text(job, "spec", "template", "metadata", "annotations", JobSetKeys.INJECT_AGENT);
  }

  private static String variable(ObjectNode job, String name) {
    List<ObjectNode> variables = Trees.objects(container(job, 0), "env");
    return variables.stream()
        .filter(variable -> Trees.text(variable, "name").equals(name))
        .map((JsonNode variable) -> Trees.text(variable, "value"))
        .findFirst()
        .orElse("");
  }
}
