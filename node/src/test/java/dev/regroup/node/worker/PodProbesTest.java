package dev.regroup.node.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.regroup.runtime.ContainerKey;
import java.net.InetSocketAddress;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Probes and hooks of a pod with its worker around them. */
class PodProbesTest extends OnePod {

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
}
