package dev.regroup.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.e2e.Kube;
import dev.regroup.e2e.Workers;
import java.io.IOException;
import java.util.Map;

/**
 * A group of workers on a cluster. A wait that ends in vain tells what the cluster says of the
 * group; {@link #close} removes it and fails when something happened that never may, such as
 * workers of two attempts at once.
 */
final class Group implements AutoCloseable {

  private static final String AGENT = "in-place-restart-agent";

  private final Kube kube;
  private final Workers workers;
  private final AgentKind kind;

  Group(Kube kube, Workers workers, AgentKind kind) {
    this.kube = kube;
    this.workers = workers;
    this.kind = kind;
  }

  Workers workers() {
    return workers;
  }

  void create(int maxRestarts) throws Exception {
    create(workers.manifest(maxRestarts));
  }

  void createWithFatalCode(int maxRestarts) throws Exception {
    create(workers.manifestWithFatalCode(maxRestarts));
  }

  void createWithRules(int maxRestarts, String rules) throws Exception {
    create(workers.manifestWithRules(maxRestarts, rules));
  }

  private void create(String manifest) throws Exception {
    var jobSet = (ObjectNode) YamlDocuments.read(manifest.getBytes(UTF_8)).getFirst().root();
    kind.addTo(jobSet);
    kube.create(Workers.JOB_SETS, jobSet);
  }

  /** The pods once all of them run this attempt. */
  Map<String, JsonNode> awaitRunning(int attempt) throws Exception {
    try {
      return workers.awaitRunning(kube, attempt);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + description(), e);
    }
  }

  JsonNode awaitCondition(String type) throws Exception {
    try {
      return workers.awaitCondition(kube, type);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + description(), e);
    }
  }

  /** The name of the one pod that reports this attempt, once the others still report the last. */
  String awaitAhead(int attempt) throws Exception {
    try {
      var pods =
          kube.await(
              Workers.PODS,
              workers.podsQuery(),
              all -> at(all, attempt) == 1 && at(all, attempt - 1) == all.size() - 1,
              workers.patience());
      return pods.keySet().stream()
          .filter(name -> isAt(pods.get(name), attempt))
          .findFirst()
          .orElseThrow();
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + description(), e);
    }
  }

  private static long at(Map<String, JsonNode> pods, int attempt) {
    return pods.values().stream().filter(pod -> isAt(pod, attempt)).count();
  }

  private static boolean isAt(JsonNode pod, int attempt) {
    return Workers.attempt(pod).equals("" + attempt);
  }

  /** SIGKILL for a pod's agent that is a sidecar. */
  void killAgent(String pod) throws Exception {
    Containers.kill(kube.get(Workers.PODS + "/" + pod), AGENT);
  }

  void awaitAgentRestarts(String pod, int restarts) throws Exception {
    kube.awaitOne(
        Workers.PODS,
        pod,
        now ->
            Containers.status(now, AGENT).path("restartCount").asInt() == restarts
                && Containers.status(now, AGENT).path("state").has("running"),
        workers.patience());
  }

  private String description() throws IOException, InterruptedException {
    var text = new StringBuilder("JobSet: " + workers.jobSet(kube).path("status") + "\n");
    for (var pod : kube.list(Workers.PODS, workers.podsQuery())) {
      var name = pod.path("metadata").path("name").asText();
      text.append("%s: %s%n%s%n".formatted(name, pod.path("metadata"), pod.path("status")));
      for (var list : new String[] {"initContainers", "containers"}) {
        for (var container : pod.path("spec").path(list)) {
          var log =
              kube.text(
                  Workers.PODS + "/" + name + "/log",
                  "tailLines=20&container=" + container.path("name").asText());
          text.append("log of %s:%n%s%n".formatted(container.path("name").asText(), log));
        }
      }
    }
    for (var event : kube.list("/api/v1/namespaces/default/events", "")) {
      if (event.path("involvedObject").path("name").asText().startsWith(workers.name())) {
        text.append(
            "%s %s %s%n"
                .formatted(
                    event.path("involvedObject").path("name").asText(),
                    event.path("reason").asText(),
                    event.path("message").asText()));
      }
    }
    return text.toString();
  }

  @Override
  public void close() throws Exception {
    kube.delete(Workers.JOB_SETS + "/" + workers.name(), "propagationPolicy=Foreground");
    kube.awaitGone(Workers.PODS, workers.podsQuery(), workers.patience());
    kube.awaitGone(Workers.JOBS, workers.jobsQuery(), workers.patience());
    assertThat(workers.wrongs()).isEmpty();
  }
}
