package dev.regroup.e2e;

import static dev.regroup.e2e.AgentWorld.ATTEMPT;
import static dev.regroup.e2e.AgentWorld.EPOCH;
import static dev.regroup.e2e.AgentWorld.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.testing.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The agent as a process against a real API server; the test plays the JobSet's controller. */
@Timeout(240)
class AgentIT {

  @TempDir Path folder;

  private AgentWorld world;

  @BeforeEach
  void open() throws Exception {
    world = AgentWorld.open(folder);
    world.pod("p");
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  /** JS-126, JS-127, JS-130, JS-153b, JS-166, AS-67. */
  @Test
  void a_sidecar_opens_its_port_when_all_are_there() throws Exception {
    world.jobSet("js");
    int port = FreePort.next();

    var agent = world.agent("js", "p", Map.of("STARTUP_PROBE_PORT", "" + port));
    world.awaitAnnotation("p", ATTEMPT, "0");
    String first = agent.awaitLine(line -> line.contains("mode "), LIMIT);

    assertThat(first).contains("mode sidecar, port " + port + ", path /barrier-is-down");
    assertThat(probe(port, "/barrier-is-down")).as("before the lift").isZero();

    world.current("js", 0);
    agent.awaitLine(line -> line.endsWith("attempt 0 runs"), LIMIT);

    assertThat(probe(port, "/barrier-is-down")).isEqualTo(200);
    assertThat(probe(port, "/barrier-is-lifted")).isEqualTo(200);
    assertThat(probe(port, "/")).isEqualTo(404);
    assertThat(world.restartDirectory("p").resolve("attempt")).hasContent("0");
    assertThat(world.annotation("p", EPOCH)).as("one key only (JS-153a)").isEmpty();
  }

  /** JS-127 step 3, JS-129: a new process takes a new attempt. */
  @Test
  void a_sidecar_ends_with_the_restart_code_when_its_attempt_is_over() throws Exception {
    world.jobSet("js");
    world.current("js", 4);
    var codes =
        Map.of("IN_PLACE_RESTART_EXIT_CODE", "42", "STARTUP_PROBE_PORT", "" + FreePort.next());

    var agent = world.agent("js", "p", codes);
    world.awaitAnnotation("p", ATTEMPT, "5");
    world.previous("js", 5);

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(42);
  }

  /** JS-127 step 1, AS-65: workers start at once, nothing is written. */
  @Test
  void without_a_barrier_the_worker_runs_and_nothing_is_written() throws Exception {
    var jobSet = world.jobSet("js");
    world
        .kube()
        .patch(
            Workers.JOB_SETS + "/js",
            "{\"metadata\":{\"annotations\":"
                + "{\"jobset.sigs.k8s.io/disable-in-place-restart\":\"\"}}}");

    var agent =
        world.agent("js", "p", Map.of("WORKER_COMMAND", "echo free $JOBSET_RESTART_ATTEMPT."));

    assertThat(agent.awaitExit(LIMIT)).isZero();
    assertThat(agent.output()).contains("free .");
    assertThat(world.annotation("p", ATTEMPT)).isEmpty();
    assertThat(jobSet.path("kind").asText()).isEqualTo("JobSet");
  }

  /** JS-150, JS-153, JS-153a, AS-70: an agent that knows only the names of the proposal. */
  @Test
  void the_names_of_the_proposal_work_alike() throws Exception {
    world.jobSet("js");
    var draft = Map.of("NAMESPACE", "default", "RESTART_POD_IN_PLACE_EXIT_CODE", "17");

    var agent = world.agent("js", "p", draft);
    world.awaitAnnotation("p", EPOCH, "1");
    String first = agent.awaitLine(line -> line.contains("mode "), LIMIT);
    world.order("js", "{\"deprecatedEpoch\":1}");

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(17);
    assertThat(first).contains("port 8080, path /barrier-is-lifted");
    assertThat(world.annotation("p", ATTEMPT)).isEmpty();
  }

  /** JS-128, AS-66. */
  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  void a_signal_at_the_barrier_ends_the_agent_with_its_number(String signal, int code)
      throws Exception {
    world.jobSet("js");
    var agent = world.agent("js", "p", Map.of());
    world.awaitAnnotation("p", ATTEMPT, "0");

    signal(agent.pid(), signal);

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(code);
  }

  /** JS-126, AS-66. */
  @Test
  void a_setting_that_makes_no_sense_ends_the_agent_with_1() throws Exception {
    var agent = world.agent("js", "p", Map.of("WORKER_COMMAND", "true", "STARTUP_PROBE_PORT", "1"));

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(1);
    assertThat(agent.output()).contains("WORKER_COMMAND: must not be set together with");
  }

  /** JS-132, JS-132e, JS-166, AS-66: the container ends as the worker did. */
  @ParameterizedTest
  @CsvSource({"exit 0, 0", "exit 7, 7", "kill -9 $$, 137"})
  void a_main_container_ends_as_its_worker_does(String end, int code) throws Exception {
    world.jobSet("js");

    var agent =
        world.agent("js", "p", Map.of("WORKER_COMMAND", "echo at $JOBSET_RESTART_ATTEMPT; " + end));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(code);
    assertThat(agent.output()).contains("at 0");
    assertThat(world.restartDirectory("p").resolve("attempt")).hasContent("0");
  }

  /** JS-127 step 3 and JS-132: the order ends the container, and the worker with it. */
  @Test
  void a_main_container_ends_with_the_restart_code_when_ordered() throws Exception {
    world.jobSet("js");
    var agent = world.agent("js", "p", Map.of("WORKER_COMMAND", "echo up; sleep 1000; true"));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);
    agent.awaitLine("up"::equals, LIMIT);

    world.previous("js", 0);

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(1);
  }

  /** JS-128, JS-132, JS-138: the worker may clean up, and the agent never says 0. */
  @Test
  void sigterm_reaches_the_worker_and_the_agent_waits_for_it() throws Exception {
    world.jobSet("js");
    Path saved = folder.resolve("saved");
    String command =
        "trap 'echo x >%s; exit 0' TERM; echo up; while :; do sleep 0.05; done".formatted(saved);
    var agent =
        world.agent(
            "js", "p", Map.of("WORKER_COMMAND", command, "IN_PLACE_RESTART_MODE", "process"));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);
    agent.awaitLine("up"::equals, LIMIT);

    agent.terminate();

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(143);
    assertThat(saved).exists();
  }

  /** JS-132e. */
  @ParameterizedTest
  @CsvSource({"HUP", "USR1", "USR2"})
  void other_signals_are_handed_on(String signal) throws Exception {
    world.jobSet("js");
    String command = "trap 'exit 5' %s; echo up; while :; do sleep 0.05; done".formatted(signal);
    var agent = world.agent("js", "p", Map.of("WORKER_COMMAND", command));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);
    agent.awaitLine("up"::equals, LIMIT);

    signal(agent.pid(), signal);

    assertThat(agent.awaitExit(LIMIT)).as(agent.output()).isEqualTo(5);
  }

  /**
   * JS-132a, JS-129, JS-166: on its own failure and on the group's order alike, the second time
   * without a new connection.
   */
  @Test
  void a_process_agent_replaces_its_worker_and_stays() throws Exception {
    world.jobSet("js");
    Path fifo = folder.resolve("fifo");
    String command =
        "echo at $JOBSET_RESTART_ATTEMPT; (setsid sleep 1000 &); %s; exit $code"
            .formatted(Fifo.read(fifo + "-$JOBSET_RESTART_ATTEMPT"));
    var agent =
        world.agent(
            "js", "p", Map.of("WORKER_COMMAND", command, "IN_PLACE_RESTART_MODE", "process"));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);
    Fifo.await(Path.of(fifo + "-0"), LIMIT);

    Fifo.write(Path.of(fifo + "-0"), "3"); // its own failure
    world.awaitAnnotation("p", ATTEMPT, "1");
    assertThat(descendants(agent)).as("nothing of attempt 0 is left").isEmpty();
    world.order("js", "{\"previousInPlaceRestartAttempt\":0,\"currentInPlaceRestartAttempt\":1}");
    Fifo.await(Path.of(fifo + "-1"), LIMIT);
    var before = sockets(agent.pid());

    world.previous("js", 1); // the group's order
    world.awaitAnnotation("p", ATTEMPT, "2");
    assertThat(descendants(agent)).isEmpty();
    world.current("js", 2);
    Fifo.await(Path.of(fifo + "-2"), LIMIT);

    assertThat(sockets(agent.pid())).as("no new connection").isEqualTo(before);
    Fifo.write(Path.of(fifo + "-2"), "0");
    assertThat(agent.awaitExit(LIMIT)).isZero();
    assertThat(agent.output()).contains("at 0", "at 1", "at 2");
  }

  /** JS-132e: a code that must reach the Job ends the container. */
  @Test
  void a_fatal_code_ends_a_process_agent() throws Exception {
    world.jobSet("js");
    var agent =
        world.agent(
            "js",
            "p",
            Map.of(
                "WORKER_COMMAND", "exit 3",
                "IN_PLACE_RESTART_MODE", "process",
                "IN_PLACE_RESTART_FATAL_EXIT_CODES", "3,4"));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);

    assertThat(agent.awaitExit(LIMIT)).isEqualTo(3);
  }

  /** ACT-04, ACT-05, ACT-06 and DEC-10: rules end the container as a node would. */
  @ParameterizedTest
  @CsvSource({
    "Terminate,    7, 7",
    "Complete, 7, 0",
    "TerminatePod, 7, 7",
    "Terminate, 8, 8",
  })
  void rules_end_a_process_agent(String action, int worker, int agent) throws Exception {
    world.jobSet("js");
    String rules =
        "{\"restartPolicyRules\":[{\"action\":\"%s\",\"exitCodes\":{\"operator\":\"In\",\"values\":[7]}}]}"
            .formatted(action);
    var program = world.agent("js", "p", ruled("exit " + worker, rules));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);

    assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(agent);
  }

  /**
   * ACT-01, ACT-02, COND-02: again in its attempt, then with the group, where counting begins anew.
   */
  @Test
  void rules_restart_the_worker_alone_or_with_the_group() throws Exception {
    world.jobSet("js");
    Path fifo = folder.resolve("fifo");
    String rules =
        """
        {"restartPolicyRules":[
          {"action":"Complete","exitCodes":{"operator":"In","values":[0]}},
          {"action":"RestartAllContainers","restartTimes":1},
          {"action":"Restart","exitCodes":{"operator":"NotIn","values":[0]}}]}
        """;
    String name = fifo + "-$JOBSET_RESTART_ATTEMPT-$run";
    String command =
        "run=1; while [ -e %s ]; do run=$((run+1)); done; %s; echo $JOBSET_RESTART_ATTEMPT: $code; exit $code"
            .formatted(name, Fifo.read(name));
    var agent = world.agent("js", "p", ruled(command, rules));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);

    end(fifo, "0-1", 3); // alone: the first restart of the attempt
    Fifo.await(Path.of(fifo + "-0-2"), LIMIT);
    assertThat(world.annotation("p", ATTEMPT)).isEqualTo("0");
    end(fifo, "0-2", 4); // with the group: it was restarted once
    world.awaitAnnotation("p", ATTEMPT, "1");
    world.order("js", "{\"previousInPlaceRestartAttempt\":0,\"currentInPlaceRestartAttempt\":1}");
    end(fifo, "1-1", 5); // alone again
    end(fifo, "1-2", 0);

    assertThat(agent.awaitExit(LIMIT)).as(agent.output()).isEqualTo(0);
    assertThat(agent.output()).contains("0: 3", "0: 4", "1: 5", "1: 0");
  }

  private static void end(Path fifo, String run, int code) throws Exception {
    Path file = Path.of(fifo + "-" + run);
    Fifo.await(file, LIMIT);
    Fifo.write(file, "" + code);
  }

  private static Map<String, String> ruled(String command, String rules) {
    return Map.of(
        "WORKER_COMMAND", command,
        "IN_PLACE_RESTART_MODE", "process",
        "IN_PLACE_RESTART_RULES", rules);
  }

  /** JS-143, JS-162, JS-165b: the worker goes on meanwhile; what was missed is made good. */
  @Test
  void an_api_server_that_comes_back_is_followed_again() throws Exception {
    world.jobSet("js");
    var agent =
        world.agent(
            "js",
            "p",
            Map.of(
                "WORKER_COMMAND",
                "echo at $JOBSET_RESTART_ATTEMPT; sleep 1000; true",
                "IN_PLACE_RESTART_MODE",
                "process"));
    world.awaitAnnotation("p", ATTEMPT, "0");
    world.current("js", 0);
    agent.awaitLine("at 0"::equals, LIMIT);

    world.restartServer();
    world.previous("js", 0);

    world.awaitAnnotation("p", ATTEMPT, "1");
    world.current("js", 1);
    agent.awaitLine("at 1"::equals, LIMIT);
  }

  /** JS-153a: a policy that knows only the proposal's name. */
  @Test
  void a_refused_name_is_tried_once_under_the_other() throws Exception {
    world.jobSet("js");
    world
        .kube()
        .create(
            "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
            """
            metadata: {name: draft-only}
            spec:
              failurePolicy: Fail
              matchConstraints:
                resourceRules:
                - {apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [pods]}
              validations:
              - expression: "!('%s' in object.metadata.annotations)"
                message: only epochs here
            """
                .formatted(ATTEMPT));
    world
        .kube()
        .create(
            "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
            "{metadata: {name: b}, spec: {policyName: draft-only, validationActions: [Deny]}}");

    var agent = world.agent("js", "p", Map.of());
    world.awaitAnnotation("p", EPOCH, "1");

    agent.awaitLine(line -> line.contains("trying " + EPOCH), LIMIT);
    assertThat(agent.output()).contains("only epochs here");
  }

  /** A server that just started may not have read its roles yet; JS-152: two names are none. */
  @Test
  void a_missing_right_is_waited_for_under_the_same_name() throws Exception {
    world.jobSet("js");
    world.forbidReports();
    var agent = world.agent("js", "p", Map.of());
    agent.awaitLine(line -> line.contains("attempt 0 is not written yet: "), LIMIT);

    world.allowReports();

    world.awaitAnnotation("p", ATTEMPT, "0");
    assertThat(world.annotation("p", EPOCH)).isEmpty();
  }

  /** JS-162: tokens are replaced while the pod lives. */
  @Test
  void a_new_token_is_used_as_soon_as_it_is_there() throws Exception {
    world.jobSet("js");
    var agent = world.agent("js", "p", "no-token", Map.of());
    agent.awaitLine(line -> line.contains("401"), LIMIT);

    world.replaceToken("p", world.token("p"));

    world.awaitAnnotation("p", ATTEMPT, "0");
  }

  /** JS-149, AS-81: the pod's own JobSet is gone, another has its name. */
  @Test
  void a_jobset_of_the_same_name_is_not_obeyed() throws Exception {
    world.jobSet("js");
    world.pod("q");
    var stranger = world.agent("js", "p", Map.of("JOBSET_UID", "another"));
    stranger.awaitLine(line -> line.contains("mode "), LIMIT);
    var own = world.agent("js", "q", Map.of());
    world.awaitAnnotation("q", ATTEMPT, "0");

    world.previous("js", 0); // for both, if both heard it
    assertThat(own.awaitExit(LIMIT)).isEqualTo(1);
    stranger.terminate();

    assertThat(stranger.awaitExit(LIMIT)).isEqualTo(143);
    assertThat(world.annotation("p", ATTEMPT)).isEmpty();
  }

  /** The answer of the barrier; 0 when nobody listens. */
  private static int probe(int port, String path) throws IOException {
    var connection =
        (HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
    try {
      return connection.getResponseCode();
    } catch (ConnectException _) {
      return 0;
    } finally {
      connection.disconnect();
    }
  }

  private static void signal(long pid, String name) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + pid).start().waitFor()).isZero();
  }

  private static List<Long> descendants(Program agent) {
    return ProcessHandle.of(agent.pid())
        .orElseThrow()
        .descendants()
        .map(ProcessHandle::pid)
        .toList();
  }

  /** The sockets a process has open, by what the kernel calls them. */
  private static TreeSet<String> sockets(long pid) throws IOException {
    var open = new TreeSet<String>();
    try (var descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          String target = Files.readSymbolicLink(descriptor).toString();
          if (target.startsWith("socket:")) {
            open.add(target);
          }
        } catch (IOException e) {
          continue; // closed while we looked
        }
      }
    }
    return open;
  }
}
