package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.e2e.replay.Askers;
import dev.regroup.e2e.replay.Recordings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real API server, kubelet, Job controller and JobSet controller did, done again by ours:
 * every recorded scenario, those of one part side by side.
 */
@DisplayName("Recordings of a real Kubernetes (ACC-001 to ACC-199, BS-*, AS-*)")
@Order(2)
class ConformanceIT {

  // how the names of these files begin
  private static final String ALONE = "reviews";
  private static final String WEB = "web"; // their containers run busybox's web server

  private static final int SIDE_BY_SIDE = 16;

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Recordings recordings;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster =
        Cluster.up(
            folder,
            "--gates=upstream",
            "--feature-gates=InPlaceRestart=true,RestartJob=true,ElasticJobSet=true");
    var askers = new Askers(cluster.kube().transport(), cluster.kube().nobody());
    recordings = new Recordings(askers, SIDE_BY_SIDE, Recordings.Listed.DIFFER);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      recordings.close();
      cluster.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> the_api() throws IOException {
    return recordings.of("api", name -> !name.startsWith(ALONE));
  }

  /** What somebody may do depends on what other scenarios bind. */
  @TestFactory
  Stream<DynamicTest> reviews() throws IOException {
    return recordings.of("api", name -> name.startsWith(ALONE));
  }

  @TestFactory
  Stream<DynamicTest> pods() throws IOException {
    boolean web = hasWebServer();
    if (!web) {
      System.out.println("SKIPPED: pods/web-* need a busybox with httpd (apt-get install busybox)");
    }
    return recordings.of("pods", name -> web || !name.startsWith(WEB));
  }

  private static boolean hasWebServer() throws IOException {
    Path busybox = Path.of("/usr/bin/busybox");
    if (!Files.isExecutable(busybox)) {
      return false;
    }
    var process = new ProcessBuilder(busybox.toString(), "--list").start();
    try (var commands = process.getInputStream()) {
      return new String(commands.readAllBytes(), UTF_8).lines().anyMatch("httpd"::equals);
    }
  }

  /** Apart from the pods: these scenarios make nodes, which the scheduler would use for those. */
  @TestFactory
  Stream<DynamicTest> jobs_and_job_sets() throws IOException {
    return Stream.concat(recordings.of("jobs", _ -> true), recordings.of("jobset", _ -> true));
  }
}
