package dev.regroup.bench;

import dev.regroup.api.Wire;
import dev.regroup.bench.Bell.Manners;
import dev.regroup.client.Request;
import dev.regroup.rules.Stages.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A JobSet of workers with in-place restart. One ends: how long until the code of all runs again,
 * behind the barrier? The floor is as many bare processes.
 */
final class GroupRestartBench implements Benchmark {

  static final String JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final int WARM_UP = 3;

  private final int size;
  private final List<String> workers;

  GroupRestartBench(int size) {
    this.size = size;
    this.workers = IntStream.range(0, size).mapToObj(Integer::toString).toList();
  }

  @Override
  public String name() {
    return "group-restart-" + size;
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    try (var bell = new Bell(folder.resolve("bell"), workers);
        var cluster = new TestCluster(folder.resolve("data"));
        var signals = new OrderTimes(cluster, JOB_SETS, "group")) {
      Set<String> all = new LinkedHashSet<>(workers);
      cluster.create(JOB_SETS, manifest(bell, size, "node"));
      bell.awaitAll(all);
      var names = podNames(cluster);
      var restarts = new ArrayList<Duration>();
      var floors = new ArrayList<Duration>();
      var stages = new StageTimes();
      for (int round = 0; round < WARM_UP + effort.rounds(); round++) {
        signals.goOn(round);
        cluster.nextAttempts().awaitAttempts(size);
        var floor = ProcessFloor.once(bell, workers, Manners.POLITE);

        var beginAt = Instant.now();
        long begin = System.nanoTime();
        bell.end(workers.get(round % size));
        var last = bell.awaitAll(all);

        if (round >= WARM_UP) {
          floors.add(floor);
          restarts.add(Duration.ofNanos(last.nanos() - begin));
          var lifted = signals.goOn(round + 1);
          keep(stages, cluster, names, round, beginAt);
          stages.add("signal: restart", beginAt, signals.restart(round));
          stages.add("signal: go on", beginAt, lifted);
          stages.add("all workers' code runs", beginAt, last.at());
        }
      }
      return List.of(
          new Figure(
              name(),
              Figure.Unit.MILLIS,
              Samples.ofMillis(restarts),
              Samples.ofMillis(floors),
              inOrder(stages.medians())));
    }
  }

  private static void keep(
      StageTimes stages, TestCluster cluster, List<String> names, int round, Instant begin)
      throws Exception {
    var moments = new ArrayList<Map<Moment, Instant>>();
    for (var name : names) {
      moments.add(cluster.restart(PODS, name, round + 1));
    }
    for (Moment moment : Moment.values()) {
      if (moment == Moment.LIFTED || moment == Moment.RUNNING) {
        continue; // stamped after the start; the workers' own word is better
      }
      var times =
          moments.stream()
              .filter(pod -> pod.containsKey(moment))
              .map(pod -> pod.get(moment))
              .sorted()
              .toList();
      if (times.isEmpty()) {
        continue;
      }
      switch (moment) {
        case EXIT_SEEN -> stages.add("worker exited", begin, times.getFirst());
        case NOTICED -> {
          stages.add("first pod restarts", begin, times.getFirst());
          stages.add("all pods restart", begin, times.getLast());
        }
        case STOPPED -> stages.add("all stopped", begin, times.getLast());
        case REMOVED -> stages.add("all removed", begin, times.getLast());
        case AT_BARRIER -> stages.add("all at the barrier", begin, times.getLast());
        case LIFTED, RUNNING -> {} // above
        case LAST_SIGN, FOUND_HANGING, FIRST_OUTPUT, CAUGHT_UP -> {} // the program's own
      }
    }
  }

  private static Map<String, Double> inOrder(Map<String, Double> medians) {
    var sorted = new LinkedHashMap<String, Double>();
    medians.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    return sorted;
  }

  private static List<String> podNames(TestCluster cluster) throws Exception {
    var reply = cluster.admin().send(Request.get(PODS, ""));
    var names = new ArrayList<String>();
    Wire.tree(reply.body())
        .path("items")
        .forEach(pod -> names.add(pod.path("metadata").path("name").asText()));
    return names;
  }

  /** {@code kind} of agent. */
  static String manifest(Bell bell, int size, String kind) {
    return """
    {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "group",
      "annotations": {"jobset.sigs.k8s.io/inject-in-place-restart-agent": "%s"}},
     "spec": {"failurePolicy": {"maxRestarts": 100000, "restartStrategy": "InPlaceRestart"},
      "replicatedJobs": [{"name": "w", "template": {"spec": {
       "parallelism": %d, "completions": %d, "template": {"spec": {
        "terminationGracePeriodSeconds": 5,
        "containers": [{"name": "worker", "image": "none", "command": %s,
         "env": [{"name": "BELL", "value": "/bell"},
          {"name": "WORKER", "valueFrom": {"fieldRef":
           {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}],
         "volumeMounts": [{"name": "bell", "mountPath": "/bell"}]}],
        "volumes": [{"name": "bell", "hostPath": {"path": "%s", "type": "Directory"}}]
       }}}}}]}}
    """
        .formatted(kind, size, size, Wire.text(Bell.command(Manners.POLITE)), bell.directory());
  }
}
