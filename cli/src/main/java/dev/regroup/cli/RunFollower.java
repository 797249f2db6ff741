package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSet;
import dev.regroup.client.Codec;
import dev.regroup.client.Delta;
import dev.regroup.client.Informer;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;

/** Follows a run: says what changes, shows the logs, and knows when it is over. */
final class RunFollower implements AutoCloseable {

  private static final Set<String> WORKLOADS = Set.of("JobSet", "Job", "Pod");
  private static final List<Resource<ObjectNode>> FOLLOWED =
      List.of(
          Resource.namespaced(JobSet.GROUP, JobSet.VERSION, "jobsets", Codec.TREE),
          Resource.namespaced("batch", "v1", "jobs", Codec.TREE),
          Resource.namespaced("", "v1", "pods", Codec.TREE));

  private final PrintWriter err;
  private final long begun = System.nanoTime();
  private final RunProgress progress = new RunProgress(); // guarded by itself
  private final CountDownLatch over = new CountDownLatch(1);
  private final LogFollower logs;
  private final Map<String, String> podNames = new ConcurrentHashMap<>();
  private final List<Informer<ObjectNode>> informers = new ArrayList<>();

  RunFollower(Transport transport, PrintWriter out, PrintWriter err, RandomGenerator random) {
    this.err = err;
    this.logs = new LogFollower(transport, out);
    for (var resource : FOLLOWED) {
      informers.add(
          new Informer<ObjectNode>(transport, resource, ListQuery.ALL, ObjectNode::deepCopy, random)
              .listen(this::changed));
    }
  }

  /** Waits until every workload among these objects has ended. */
  RunProgress.Result follow(List<JsonNode> objects) throws CliFailure, InterruptedException {
    synchronized (progress) {
      for (JsonNode object : objects) {
        String kind = object.path("kind").asText();
        if (WORKLOADS.contains(kind)) {
          var metadata = object.path("metadata");
          progress.expect(
              kind, metadata.path("namespace").asText(), metadata.path("name").asText());
        }
      }
      if (!progress.hasWorkloads()) {
        throw new CliFailure("nothing to run (the files hold no JobSet, Job or Pod)");
      }
    }
    informers.forEach(Informer::start);
    over.await();
    logs.finish(Duration.ofSeconds(2));
    synchronized (progress) {
      return progress.result().orElseThrow();
    }
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  /** What people call a pod, by its uid. */
  Map<String, String> podNames() {
    return Map.copyOf(podNames);
  }

  @Override
  public void close() {
    informers.forEach(Informer::close);
    logs.close();
  }

  private void changed(Delta<ObjectNode> delta) {
    List<String> lines;
    boolean ended;
    synchronized (progress) {
      lines =
          delta
              .now()
              .map(item -> progress.changed(item.value()))
              .orElseGet(
                  () -> delta.old().map(item -> progress.removed(item.value())).orElse(List.of()));
      ended = progress.result().isPresent();
    }
    lines.forEach(line -> err.println(String.format(Locale.ROOT, "%6.2fs %s", seconds(), line)));
    delta
        .now()
        .filter(item -> item.value().path("kind").asText().equals("Pod"))
        .ifPresent(item -> {
          podNames.put(item.uid(), item.key().name());
          logs.podChanged(item.value());
        });
    if (ended) {
      over.countDown(); // last: the summary comes after what led to it
    }
  }

  private double seconds() {
    return (System.nanoTime() - begun) / 1e9;
  }
}
