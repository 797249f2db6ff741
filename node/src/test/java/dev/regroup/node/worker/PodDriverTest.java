package dev.regroup.node.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.PodToken;
import dev.regroup.rules.pod.Effect;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.testing.ExpectsError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life of a pod, from its first start to its end. */
class PodDriverTest extends OnePod {

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

  @ParameterizedTest
  @CsvSource({
    "sleep, here, 'workingDir: must be absolute, got here'",
    "sl\\u0000eep, /, command: must not contain a NUL",
  })
  void what_no_container_can_be_made_from_is_said(String command, String folder, String said)
      throws Exception {
    var wrong =
        container("a", command, "")
            .replace("\"image\":", "\"workingDir\":\"%s\",\"image\":".formatted(folder));
    start(pod("Never", "", wrong));

    await(s -> waiting(s, "a").equals("CreateContainerConfigError"));

    awaitRequest(sent -> sent.body().path("message").asText().equals("Error: " + said));
    assertThat(runtime.started()).isEmpty();
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
}
