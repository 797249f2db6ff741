package dev.regroup.node.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.api.pod.StatusGuard;
import dev.regroup.client.ApiClient;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.event.EventRecorder.Source;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.node.FakeRuntime;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.PodToken;
import dev.regroup.node.group.Groups;
import dev.regroup.node.image.HostImages;
import dev.regroup.node.pod.NodeDisk;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.pod.RestartTelling;
import dev.regroup.node.progress.ProgramWatch;
import dev.regroup.node.report.RecordingTransport;
import dev.regroup.node.service.KnownServices;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RunOutput;
import dev.regroup.testing.ExpectsError;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Worker, driver, planner and reporter together; runtime and API server are fakes. */
class PodDriverTest {

  private static final PodUid UID = new PodUid("u1");
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path directory;
  private CrashPoint crashPoint = CrashPoint.NONE;

  private final RecordingTransport transport = new RecordingTransport();
  private final FakeRuntime runtime = new FakeRuntime();
  private final NodeDisk disk = new NodeDisk();
  private final ProgramWatch programs = new ProgramWatch(InstantSource.system());
  private final ApiClient api = new ApiClient(transport);
  private volatile GroupOrders orders = GroupOrders.UNKNOWN;
  private final List<String> moments = new ArrayList<>();
  private final List<String> figures = Collections.synchronizedList(new ArrayList<>());
  private final EventRecorder events =
      new EventRecorder(transport, Source.of("kubelet").at("n1"), InstantSource.system());
  private final Pokes pokes = new Pokes();
  private Configs configs = NO_CONFIGS;
  private final KnownServices known = new KnownServices();
  private @Nullable PodDriver driver;
  private @Nullable PodWorker worker;

  @AfterEach
  void end() throws Exception {
    stopNode();
    programs.close();
    events.close();
    disk.stop();
  }

  @Test
  void starts_sandbox_and_containers_and_reports_every_phase() throws Exception {
    start(pod("Never", "", container("a", "sleep", ""), container("b", "sleep", "")));

    var status = await(s -> condition(s, "Ready").equals("True"));

    assertThat(status.path("phase").asText()).isEqualTo("Running");
    assertThat(status.path("podIP").asText()).isEqualTo("10.9.0.7");
    assertThat(status.path("hostIP").asText()).isEqualTo("10.0.0.1");
    assertThat(status.path("qosClass").asText()).isEqualTo("BestEffort");
    assertThat(phases()).containsExactly("Pending", "Running");
    assertThat(runtime.started()).extracting(spec -> spec.key().name()).containsExactly("a", "b");
  }

  @Test
  void a_token_that_is_due_is_renewed_while_the_pod_runs() throws Exception {
    var tokens = new NumberedTokens();
    configs = tokens;
    var pod = Wire.tree(pod("Never", "", container("a", "sleep", "")).toString());
    pod.withObject("/spec")
        .putArray("volumes")
        .add(
            Wire.tree(
                """
                {"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}}
                """));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));
    var file = directory.resolve("pods/u1/volumes/v/token");
    assertThat(file).hasContent("token 1");

    tokens.due.set(true);
    pokes.poke();

    awaitContent(file, "token 2");
    assertThat(runtime.started()).hasSize(1);
  }

  @Test
  void a_container_that_ends_at_once_is_seen_running_before_the_pod_fails() throws Exception {
    start(pod("Never", "", container("a", "exit", "1")));

    await(s -> s.path("phase").asText().equals("Failed"));

    assertThat(phases()).containsExactly("Pending", "Running", "Failed");
  }

  /** ACC-042, STS-13, STS-15. */
  @Test
  void a_container_without_its_image_waits_and_the_others_run() throws Exception {
    var absent =
        container("b", "sleep", "")
            .replace("\"image\":", "\"imagePullPolicy\":\"Never\",\"image\":");
    start(pod("Never", "", container("a", "sleep", ""), absent));

    var status = await(s -> waiting(s, "b").equals("ErrImageNeverPull"));

    assertThat(status.path("phase").asText()).isEqualTo("Pending");
    assertThat(runtime.started()).extracting(spec -> spec.key().name()).containsExactly("a");
    awaitRequest(sent -> sent.body().path("message").asText().equals("Error: ErrImageNeverPull"));
  }

  /** OBS-02. */
  @Test
  void starts_are_counted_and_so_is_why_they_failed() throws Exception {
    var absent =
        container("b", "sleep", "")
            .replace("\"image\":", "\"imagePullPolicy\":\"Never\",\"image\":");
    start(pod("Never", "", container("a", "sleep", ""), absent));
    await(s -> waiting(s, "b").equals("ErrImageNeverPull"));

    assertThat(figures)
        .startsWith(
            "kubelet_started_containers_total [container]",
            "kubelet_started_containers_total [container]",
            "kubelet_started_containers_errors_total [container, ErrImageNeverPull]");
  }

  /** OBS-04, also by the next node: it does not count again what the status tells. */
  @Test
  void an_exit_that_a_rule_decides_is_counted_once() throws Exception {
    var pod = pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));
    runtime.exit(new ContainerKey(UID, "a", 1), 7); // no rule knows it
    await(s -> s.path("phase").asText().equals("Failed"));
    stopNode();
    start(withStatus(pod, latest()));
    await(s -> s.path("phase").asText().equals("Failed"));

    assertThat(figures)
        .filteredOn(figure -> figure.startsWith("container_restart_rule_matches_total"))
        .containsExactly("container_restart_rule_matches_total [RestartAllContainers]");
  }

  /** OBS-04. */
  @Test
  void a_pod_that_a_container_ends_is_counted_by_its_phase() throws Exception {
    start(
        pod(
            "Never",
            "\"lifecycle\":{\"onCompletion\":\"TerminatePod\"},",
            container("a", "sleep", ""),
            container("b", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "a", 0), 3);
    await(s -> s.path("phase").asText().equals("Failed"));

    assertThat(figures)
        .filteredOn(figure -> figure.startsWith("pod_terminations"))
        .containsExactly("pod_terminations_on_completion_total [Failed]");
  }

  /** OBS-03. */
  @Test
  void runs_of_probes_are_counted_by_what_they_said() throws Exception {
    var code = new AtomicInteger(1);
    runtime.onRun((_, _) -> OptionalInt.of(code.get()));
    start(
        pod(
            "Never",
            "\"readinessProbe\":{\"exec\":{\"command\":[\"x\"]},\"periodSeconds\":1},",
            container("a", "sleep", "")));
    awaitRequest(sent -> sent.body().path("message").asText().startsWith("Readiness probe failed"));
    code.set(0);
    await(s -> condition(s, "Ready").equals("True"));

    assertThat(figures)
        .contains(
            "prober_probe_total [Readiness, failed]",
            "prober_probe_total [Readiness, successful]",
            "prober_probe_duration_seconds [Readiness]");
  }

  @Test
  void restarts_all_containers_once_and_shows_the_condition_true_then_false() throws Exception {
    start(
        pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""), container("b", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    var status = await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));

    assertThat(count(status, "b")).isEqualTo(1);
    assertThat(conditions("AllContainersRestarting")).containsExactly("False", "True", "False");
    assertThat(runtime.containers(UID)).hasSize(2).allMatch(record -> record.epoch() == 1);
    assertThat(moments)
        .containsExactly("RUNNING", "EXIT_SEEN", "NOTICED", "STOPPED", "REMOVED", "RUNNING");
  }

  /** A restart is told by the status that shows its end; no patch is sent for it alone. */
  @Test
  void a_pod_tells_of_its_restarts_also_those_an_earlier_node_saw() throws Exception {
    var pod = pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));
    assertThat(annotation("regroup.dev/restarts")).isEmpty();
    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));
    stopNode();
    assertThat(statuses()).doesNotHaveDuplicates();

    var known = withStatus(pod, latest());
    known.withObject("/metadata/annotations").setAll(told());
    start(known);
    runtime.exit(new ContainerKey(UID, "a", 1), 42);
    await(s -> count(s, "a") == 2 && condition(s, "Ready").equals("True"));

    var history = RestartHistories.read(told());
    assertThat(history.completed()).isEqualTo(2);
    assertThat(history.newest()).extracting(CompletedRestart::cycle).containsExactly(1, 2);
    assertThat(history.newest().getLast().moments())
        .containsOnlyKeys(
            Moment.EXIT_SEEN, Moment.NOTICED, Moment.STOPPED, Moment.REMOVED, Moment.RUNNING);
  }

  @Test
  void a_pod_tells_when_its_program_works_again_and_what_it_does_twice() throws Exception {
    start(pod("Never", RESTART_ALL_ON_42, container("a", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));
    runtime.writes(new Written(new ContainerKey(UID, "a", 0), "step 7\nstep 8 of 20\n"));

    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));
    runtime.writes(new Written(new ContainerKey(UID, "a", 1), "on\rstep 6 of 20\nstep 8 of 20\n"));

    await(_ -> newest().moments().containsKey(Moment.CAUGHT_UP));
    var restart = newest();
    assertThat(restart.moments()).containsKey(Moment.FIRST_OUTPUT);
    assertThat(restart.program().reached()).isEqualTo(8);
    assertThat(restart.program().resumed()).isEqualTo(6);
    assertThat(restart.program().redone()).isEqualTo(3);
    assertThat(restart.program().lastOutput()).isNotNull();
  }

  private CompletedRestart newest() {
    return RestartHistories.read(told()).newest().getLast();
  }

  /** Output that is all there at once. */
  private record Written(ContainerKey key, String text, Instant first) implements RunOutput {

    Written(ContainerKey key, String text) {
      this(key, text, Instant.now());
    }

    @Override
    public Instant last() {
      return first;
    }

    @Override
    public long size() {
      return text.length();
    }

    @Override
    public byte[] newest(long after, int limit) {
      return text.substring((int) after).getBytes(UTF_8);
    }
  }

  /** The annotations of the newest patch that carries some. */
  private ObjectNode told() {
    return transport.sent().reversed().stream()
        .map(sent -> sent.body().path("metadata").path("annotations"))
        .filter(JsonNode::isObject)
        .map(annotations -> Wire.tree(annotations.toString()))
        .findFirst()
        .orElseThrow();
  }

  /** RAC-41: a run that ended takes its probes along, and the next one has its own. */
  @Test
  void probes_run_again_when_all_containers_are_restarted() throws Exception {
    var probed =
        container("b", "sleep", "")
            .replace(
                "\"image\":",
                "\"readinessProbe\":{\"exec\":{\"command\":[\"x\"]},\"periodSeconds\":1},\"image\":");
    start(pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""), probed));
    await(s -> condition(s, "Ready").equals("True"));
    runtime.onRun((_, _) -> OptionalInt.of(1));
    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "b") == 1 && container(s, "b").path("started").asBoolean());
    assertThat(container(latest(), "b").path("ready").asBoolean()).isFalse();

    runtime.onRun((_, _) -> OptionalInt.of(0));

    await(s -> count(s, "b") == 1 && condition(s, "Ready").equals("True"));
  }

  /** ACC-181: what the liveness probe would say does not count yet (PRB-03). */
  @Test
  void a_startup_probe_that_fails_too_often_restarts_its_container() throws Exception {
    runtime.onRun((argv, _) -> OptionalInt.of(argv.contains("startup") ? 1 : 0));
    start(
        pod(
            "Always",
            """
            "startupProbe":{"exec":{"command":["startup"]},"periodSeconds":1,"failureThreshold":3},
            "livenessProbe":{"exec":{"command":["live"]},"periodSeconds":1},\
            """,
            container("a", "sleep", "")));

    await(s -> count(s, "a") == 1);

    awaitRequest(sent -> sent.body().path("message").asText().startsWith("Startup probe failed"));
  }

  /** ACC-171: the probe asks another container, but it is the probed one that restarts. */
  @Test
  void a_liveness_probe_at_the_port_of_another_container_restarts_only_its_own() throws Exception {
    var code = new AtomicInteger(200);
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(code.get(), -1);
          exchange.close();
        });
    server.start();
    try {
      start(
          pod(
              "Always",
              """
              "livenessProbe":{"httpGet":{"host":"127.0.0.1","port":%d},"periodSeconds":1,
              "timeoutSeconds":20,"failureThreshold":1},\
              """
                  .formatted(server.getAddress().getPort()),
              container("m", "sleep", ""),
              container("s1", "sleep", "")));
      await(s -> condition(s, "Ready").equals("True"));

      code.set(500);
      var status = await(s -> count(s, "m") == 1);

      assertThat(count(status, "s1")).isZero();
    } finally {
      server.stop(0);
    }
  }

  /** HOOK-03, HOOK-05. */
  @Test
  void a_preStop_hook_that_fails_is_told_without_its_words_and_the_stop_goes_on() throws Exception {
    runtime.onRun((_, _) -> OptionalInt.of(1));
    var pod =
        pod(
            "Always",
            "\"lifecycle\":{\"preStop\":{\"exec\":{\"command\":[\"secret\"]}}},",
            container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));

    requireNonNull(driver).update(deleted(pod, 10));

    awaitRequest(sent -> sent.method().equals("DELETE"));
    awaitRequest(sent ->
        sent.body().path("reason").asText().equals("FailedPreStopHook")
            && sent.body().path("message").asText().equals("PreStopHook failed"));
  }

  /** JS-149. */
  @Test
  void a_group_whose_restarts_are_switched_off_and_on_again_goes_on_running() throws Exception {
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));

    orders = GroupOrders.BYPASS;
    runtime.move(UID, "10.9.0.8"); // whoever sees the address has seen the orders
    await(s -> s.path("podIP").asText().equals("10.9.0.8"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    runtime.move(UID, "10.9.0.9");
    var status = await(s -> s.path("podIP").asText().equals("10.9.0.9"));

    assertThat(condition(status, "Ready")).isEqualTo("True");
    assertThat(count(status, "w")).isZero();
    assertThat(attempt()).isEqualTo("1");
  }

  @Test
  void a_restart_survives_failed_removals_and_a_restart_of_the_node() throws Exception {
    var pod =
        pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""), container("b", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));
    runtime.failRemovals(1000);
    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> condition(s, "AllContainersRestarting").equals("True"));
    stopNode();

    runtime.failRemovals(0);
    start(withStatus(pod, latest()));
    var status = await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));

    assertThat(count(status, "b")).isEqualTo(1);
    assertThat(runtime.containers(UID)).hasSize(2).allMatch(record -> record.key().run() == 1);
  }

  /** JS-166. */
  @Test
  void a_member_of_a_group_waits_for_the_barrier_and_obeys_the_group_order() throws Exception {
    orders = GroupOrders.of(OptionalInt.empty(), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("0"));
    assertThat(annotation("jobset.sigs.k8s.io/epoch")).contains("1");

    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.of(0));
    pokes.poke();
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    var status = await(s -> condition(s, "Ready").equals("True"));

    assertThat(count(status, "w")).isEqualTo(1);
    var again = runtime.started().getLast();
    assertThat(again.env()).containsEntry("JOBSET_RESTART_ATTEMPT", "1").containsEntry("RANK", "7");
    assertThat(directory.resolve("pods/u1/group/attempt")).hasContent("1\n");
  }

  /** JS-165: two writes less for each pod of a group, where all wait for the last of them. */
  @Test
  void the_barrier_is_told_with_the_attempt_and_shown_until_the_worker_runs() throws Exception {
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(1));
    pokes.poke();
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("2"));
    orders = GroupOrders.of(OptionalInt.of(2), OptionalInt.of(1));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True") && count(s, "w") == 1);

    assertThat(statuses().stream().map(s -> waiting(s, "w")).filter(reason -> !reason.isEmpty()))
        .startsWith("ContainerCreating")
        .endsWith("WaitingForBarrier");
    assertThat(tellings("WaitingForBarrier")).containsExactly("1", "2");
  }

  /** The attempt that each status carries in which {@code w} waits for this reason. */
  private List<String> tellings(String reason) {
    return transport.sent().stream()
        .filter(sent -> waiting(sent.body().path("status"), "w").equals(reason))
        .map(sent ->
            sent.body()
                .at("/metadata/annotations/jobset.sigs.k8s.io~1in-place-restart-attempt")
                .asText())
        .toList();
  }

  /** JS-168: a service called master has a variable that means something else. */
  @Test
  void what_a_worker_is_told_about_its_group_wins_over_services() throws Exception {
    known.put("ns/master", "{\"clusterIP\": \"10.96.3.4\", \"ports\": [{\"port\": 80}]}");
    orders = GroupOrders.of(OptionalInt.empty(), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier"));

    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));

    assertThat(runtime.started().getLast().env())
        .containsEntry("MASTER_SERVICE_HOST", "10.96.3.4")
        .containsEntry("MASTER_PORT", "29500");
  }

  /** JB-112. */
  @Test
  void a_deleted_pod_is_stopped_reported_and_let_go() throws Exception {
    var pod = pod("Always", "", container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));

    requireNonNull(driver).update(deleted(pod));

    await(s -> s.path("phase").asText().equals("Failed"));
    awaitRequest(sent -> sent.method().equals("DELETE"));
    var delete = transport.sent().stream().filter(s -> s.method().equals("DELETE")).findFirst();
    assertThat(delete.orElseThrow().body().at("/preconditions/uid").asText()).isEqualTo("u1");
    assertThat(runtime.sandboxes()).isEmpty();
  }

  @Test
  void a_pod_whose_directory_cannot_be_read_starts_once_it_can() throws Exception {
    Path cycle = Files.createDirectories(directory.resolve("pods/u1/cycle")); // no file
    start(pod("Never", "", container("a", "sleep", "")));
    assertThat(transport.sent()).isEmpty();

    Files.delete(cycle);

    await(s -> condition(s, "Ready").equals("True"));
  }

  @Test
  void starts_that_made_nothing_are_not_counted_STS_17() throws Exception {
    runtime.failStarts(3);
    start(pod("Never", RESTART_ALL_ON_42, container("a", "sleep", "")));
    var first = await(s -> condition(s, "Ready").equals("True"));
    assertThat(count(first, "a")).isZero();
    runtime.failStarts(3);
    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    var again = await(s -> count(s, "a") > 0 && condition(s, "Ready").equals("True"));

    assertThat(count(again, "a")).isEqualTo(1);
  }

  @Test
  void what_was_removed_is_forgotten_when_another_removal_fails() throws Exception {
    start(
        pod(
            "Never",
            RESTART_ALL_ON_42,
            container("a", "sleep", ""),
            container("b", "sleep", ""),
            container("c", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    runtime.failRemovalOf("b"); // neither the first nor the last
    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "c") == 1 && condition(s, "Ready").equals("True"));

    assertThat(runtime.containers(UID))
        .extracting(record -> record.key().toString())
        .containsExactly("u1/a/1", "u1/b/1", "u1/c/1");
  }

  @Test
  void what_a_container_was_made_from_is_kept_with_it_when_the_node_restarts() throws Exception {
    var pod = pod("Always", "", container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));
    var kept = runtime.containers(UID);
    stopNode();

    start(withStatus(withImage(pod, "other"), latest()));
    var status = await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));

    assertThat(kept.getFirst().labels()).containsEntry("image", "i");
    assertThat(container(status, "a").path("image").asText()).isEqualTo("other");
    assertThat(runtime.containers(UID).getFirst().labels())
        .containsEntry("stop", "DEFINITION_CHANGED");
  }

  /** Nobody knows what it was made from: it counts as changed (DEC-49). */
  @Test
  void a_container_an_older_version_started_is_started_anew_once() throws Exception {
    var pod = pod("Never", "", container("a", "sleep", ""), container("b", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));
    stopNode();
    runtime.dropLabels();

    start(withStatus(pod, latest()));
    await(s -> count(s, "a") == 1 && count(s, "b") == 1 && condition(s, "Ready").equals("True"));
    stopNode();
    start(withStatus(pod, latest()));
    runtime.move(UID, "10.9.0.8");
    var status = await(s -> s.path("podIP").asText().equals("10.9.0.8"));

    assertThat(condition(status, "Ready")).isEqualTo("True");
    assertThat(count(status, "a")).isEqualTo(1);
    assertThat(count(status, "b")).isEqualTo(1);
  }

  @Test
  void a_new_address_is_reported_though_nothing_else_changed() throws Exception {
    start(pod("Never", "", container("a", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    runtime.move(UID, "10.9.0.8");

    await(s -> s.path("podIP").asText().equals("10.9.0.8"));
  }

  @Test
  @ExpectsError(value = "pod ns/p: worker failed", because = "the first start fails")
  void what_a_worker_saw_when_it_met_a_bug_is_planned_again() throws Exception {
    var failed = new AtomicBoolean();
    crashPoint =
        point -> {
          if (point.equals("before-start") && failed.compareAndSet(false, true)) {
            throw new IllegalStateException("planted");
          }
        };

    start(pod("Never", "", container("a", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    var look = BugFiles.read(directory.resolve("bugs/pod-ns_p.json"), PodLook.class);
    assertThat(look.plan().effects()).anyMatch(Effect.Start.class::isInstance);
  }

  private static final String RESTART_ALL_ON_42 =
      """
      "restartPolicy":"Never","restartPolicyRules":[{"action":"RestartAllContainers",
      "exitCodes":{"operator":"In","values":[42]}}],\
      """;

  private void start(JsonNode pod) throws Exception {
    var services =
        new NodeServices(
            "n1",
            "10.0.0.1",
            BigDecimal.TWO,
            BigDecimal.valueOf(1 << 30),
            directory,
            runtime,
            HostImages.NONE_YET,
            api,
            events,
            configs,
            (_, _, claim) -> directory.resolve(claim),
            groups(),
            disk,
            InstantSource.system(),
            (_, _, moment, _) -> moments.add(moment.name()),
            (family, _, labels) -> figures.add(family.name() + " " + List.of(labels)),
            RestartTelling.ANNOTATED,
            programs,
            new StatusGuard(NodeSettings.product().gates()),
            _ -> "",
            known);
    var newDriver = new PodDriver(NodePod.read(pod), services, NodeSettings.product(), pokes);
    runtime.onChange(_ -> pokes.poke());
    runtime.onOutput(programs::wrote);
    var setting =
        new PodWorker.Setting(
            NodeSettings.product(),
            InstantSource.system(),
            RandomGenerator.getDefault(),
            crashPoint,
            BugFiles.in(directory.resolve("bugs"), InstantSource.system()));
    var newWorker = new PodWorker("ns/p", newDriver, pokes, setting);
    newWorker.start();
    driver = newDriver;
    worker = newWorker;
  }

  private void stopNode() throws InterruptedException {
    requireNonNull(worker).stop();
    requireNonNull(driver).stop();
  }

  private Groups groups() {
    return new Groups() {
      @Override
      public GroupOrders orders(Pod pod) {
        return orders;
      }

      @Override
      public Map<String, String> rendezvous(Pod pod) {
        return Map.of("RANK", "7", "MASTER_PORT", "29500");
      }
    };
  }

  private static void awaitContent(Path file, String wanted) throws TimeoutException {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        if (Files.readString(file).equals(wanted)) {
          return;
        }
      } catch (IOException e) {
        // it was just being replaced
      }
      Thread.yield();
    }
    throw new TimeoutException(file + " is not " + wanted);
  }

  /** Gives another token when the last one is due. */
  private static final class NumberedTokens implements Configs {
    private final AtomicBoolean due = new AtomicBoolean(true);
    private final AtomicInteger given = new AtomicInteger();

    @Override
    public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
      return Optional.empty();
    }

    @Override
    public Optional<Map<String, byte[]>> secret(String namespace, String name) {
      return Optional.empty();
    }

    @Override
    public String token(PodToken token) {
      int number = due.getAndSet(false) ? given.incrementAndGet() : given.get();
      return "token " + number;
    }

    @Override
    public boolean isDue(PodToken token) {
      return due.get();
    }
  }

  private static final Configs NO_CONFIGS =
      new Configs() {
        @Override
        public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
          return Optional.empty();
        }

        @Override
        public Optional<Map<String, byte[]>> secret(String namespace, String name) {
          return Optional.empty();
        }
      };

  private static String container(String name, String command, String argument) {
    var arguments = argument.isEmpty() ? "" : ",\"" + argument + "\"";
    return "{\"name\":\"%s\",\"image\":\"i\",\"command\":[\"%s\"%s]}"
        .formatted(name, command, arguments);
  }

  private static JsonNode pod(String policy, String firstContainer, String... containers) {
    var list = String.join(",", containers).replaceFirst("\\{", "{" + firstContainer);
    return Wire.tree(
        """
        {"metadata":{"name":"p","namespace":"ns","uid":"u1","generation":1,"resourceVersion":"1"},
        "spec":{"restartPolicy":"%s","terminationGracePeriodSeconds":1,"containers":[%s]}}
        """
            .formatted(policy, list));
  }

  private static JsonNode member(String container) {
    var pod = Wire.tree(pod("Never", RESTART_ALL_ON_42, container).toString());
    pod.withObject("/metadata/labels").put("jobset.sigs.k8s.io/jobset-name", "js");
    pod.withObject("/metadata/annotations")
        .put("jobset.sigs.k8s.io/inject-in-place-restart-agent", "node");
    return pod;
  }

  private static ObjectNode withStatus(JsonNode pod, JsonNode status) {
    var tree = Wire.tree(pod.toString());
    tree.set("status", status);
    return tree;
  }

  private static JsonNode withImage(JsonNode pod, String image) {
    return Wire.tree(pod.toString().replace("\"image\":\"i\"", "\"image\":\"" + image + "\""));
  }

  private static NodePod deleted(JsonNode pod) {
    return deleted(pod, 0);
  }

  private static NodePod deleted(JsonNode pod, int left) {
    var tree = Wire.tree(pod.toString());
    tree.withObject("/metadata")
        .put("deletionTimestamp", java.time.Instant.now().plusSeconds(left).toString())
        .put("deletionGracePeriodSeconds", left + 1);
    return NodePod.read(tree);
  }

  private List<JsonNode> statuses() {
    return transport.sent().stream()
        .filter(sent -> sent.path().endsWith("/pods/p/status"))
        .map(sent -> sent.body().path("status"))
        .toList();
  }

  private JsonNode latest() {
    return statuses().getLast();
  }

  private List<String> phases() {
    return distinct(statuses().stream().map(status -> status.path("phase").asText()).toList());
  }

  private List<String> conditions(String type) {
    return distinct(statuses().stream().map(status -> condition(status, type)).toList());
  }

  private static List<String> distinct(List<String> values) {
    var changes = new ArrayList<String>();
    for (var value : values) {
      if (changes.isEmpty() || !changes.getLast().equals(value)) {
        changes.add(value);
      }
    }
    return changes;
  }

  private String attempt() {
    return annotation("jobset.sigs.k8s.io/in-place-restart-attempt").orElse("");
  }

  private Optional<String> annotation(String key) {
    return transport.sent().reversed().stream()
        .map(sent -> sent.body().path("metadata").path("annotations").path(key).asText(""))
        .filter(value -> !value.isEmpty())
        .findFirst();
  }

  private JsonNode await(Predicate<JsonNode> wanted) throws Exception {
    int seen = transport.sent().size();
    long deadline = System.nanoTime() + SOON.toNanos();
    while (System.nanoTime() < deadline) {
      var all = statuses();
      if (!all.isEmpty() && wanted.test(all.getLast())) {
        return all.getLast();
      }
      seen = transport.awaitMore(seen, deadline);
    }
    throw new TimeoutException("last status: " + (statuses().isEmpty() ? "none" : latest()));
  }

  private void awaitRequest(Predicate<RecordingTransport.Sent> wanted) throws Exception {
    int seen = 0;
    long deadline = System.nanoTime() + SOON.toNanos();
    while (transport.sent().stream().noneMatch(wanted)) {
      seen = transport.awaitMore(seen, deadline);
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  private static String condition(JsonNode status, String type) {
    for (var condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return "";
  }

  private static JsonNode container(JsonNode status, String name) {
    for (var container : status.path("containerStatuses")) {
      if (container.path("name").asText().equals(name)) {
        return container;
      }
    }
    return Wire.object();
  }

  private static int count(JsonNode status, String name) {
    return container(status, name).path("restartCount").asInt(-1);
  }

  private static String waiting(JsonNode status, String name) {
    return container(status, name).path("state").path("waiting").path("reason").asText("");
  }
}
