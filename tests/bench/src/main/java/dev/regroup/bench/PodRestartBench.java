package dev.regroup.bench;

import dev.regroup.api.Wire;
import dev.regroup.bench.Bell.Manners;
import dev.regroup.rules.Stages.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A pod of two containers. One ends with the code of a {@code RestartAllContainers} rule: how long
 * until the code of both runs again? Each round has a fresh pod, because a second restart of the
 * same one would be slowed down on purpose (RAC-51); its creation is measured by the way.
 */
final class PodRestartBench implements Benchmark {

  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String SOURCE = "source";
  private static final String VICTIM = "victim";
  private static final List<String> WORKERS = List.of(SOURCE, VICTIM);
  private static final int WARM_UP = 3;

  /** The times of one kind of pod. */
  private static final class Times {
    private final List<Duration> creations = new ArrayList<>();
    private final List<Duration> restarts = new ArrayList<>();
    private final List<Duration> floors = new ArrayList<>();
    private final StageTimes stages = new StageTimes();
  }

  @Override
  public String name() {
    return "pod-restart";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    try (var bell = new Bell(folder.resolve("bell"), WORKERS);
        var cluster = new TestCluster(folder.resolve("data"))) {
      measure(bell, cluster, Manners.POLITE, WARM_UP);
      var polite = measure(bell, cluster, Manners.POLITE, effort.rounds());
      var deaf = measure(bell, cluster, Manners.DEAF, effort.rounds());
      return List.of(
          figure("pod-create", polite.creations, polite.floors, Map.of()),
          figure("pod-restart-polite", polite.restarts, polite.floors, polite.stages.medians()),
          figure("pod-restart-deaf", deaf.restarts, deaf.floors, deaf.stages.medians()));
    }
  }

  private static Figure figure(
      String name, List<Duration> measured, List<Duration> floor, Map<String, Double> stages) {
    return new Figure(
        name, Figure.Unit.MILLIS, Samples.ofMillis(measured), Samples.ofMillis(floor), stages);
  }

  private static Times measure(Bell bell, TestCluster cluster, Manners victim, int rounds)
      throws Exception {
    var times = new Times();
    Set<String> all = new LinkedHashSet<>(WORKERS);
    for (int round = 0; round < rounds; round++) {
      cluster.nextAttempts().awaitRoots(WORKERS.size());
      times.floors.add(ProcessFloor.once(bell, WORKERS, victim));
      String name = "p%d-%s".formatted(round, victim.name().toLowerCase(Locale.ROOT));

      long created = System.nanoTime();
      cluster.create(PODS, manifest(name, bell, victim));
      times.creations.add(Duration.ofNanos(bell.awaitAll(all).nanos() - created));

      cluster.nextAttempts().awaitAttempts(WORKERS.size());
      var beginAt = Instant.now();
      long begin = System.nanoTime();
      bell.end(SOURCE);
      var last = bell.awaitAll(all);
      times.restarts.add(Duration.ofNanos(last.nanos() - begin));

      if (victim == Manners.DEAF) {
        bell.end(VICTIM); // so that the deletion need not wait for its grace
      }
      var moments = cluster.restart(PODS, name, 1);
      cluster.deletePod(PODS, name);
      for (Moment moment : Moment.values()) {
        if (moments.containsKey(moment)) {
          times.stages.add(moment.words(), beginAt, moments.get(moment));
        }
      }
      times.stages.add("worker code runs", beginAt, last.at());
    }
    return times;
  }

  private static String manifest(String name, Bell bell, Manners victim) {
    return """
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
     "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 5,
      "containers": [
       {"name": "source", "image": "none", "command": %s, "restartPolicy": "Never",
        "restartPolicyRules": [{"action": "RestartAllContainers",
          "exitCodes": {"operator": "In", "values": [%d]}}],
        "env": [{"name": "BELL", "value": "/bell"}, {"name": "WORKER", "value": "source"}],
        "volumeMounts": [{"name": "bell", "mountPath": "/bell"}]},
       {"name": "victim", "image": "none", "command": %s, "restartPolicy": "Never",
        "env": [{"name": "BELL", "value": "/bell"}, {"name": "WORKER", "value": "victim"}],
        "volumeMounts": [{"name": "bell", "mountPath": "/bell"}]}],
      "volumes": [{"name": "bell", "hostPath": {"path": "%s", "type": "Directory"}}]}}
    """
        .formatted(
            name,
            Wire.text(Bell.command(Manners.POLITE)),
            Bell.TOLD,
            Wire.text(Bell.command(victim)),
            bell.directory());
  }
}
