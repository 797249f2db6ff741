package dev.regroup.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.runtime.PodUid;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The whole program dies at an effect of a pod with an init container, a sidecar and two regular
 * ones, and is started again over the same directory: exactly one restart comes out. Restarts of
 * groups die in the end-to-end tests.
 */
@Order(1)
class CrashIT {

  private static final Duration SOON = Duration.ofSeconds(90);

  @TempDir static Path directory;

  private static final Map<PodUid, List<String>> KNOWN = new HashMap<>();

  private static int pods;

  @AfterAll
  static void removeEverything() throws Exception {
    if (pods > 0) {
      LocalCluster.start(data(), Gates.product(), Road.IN_PROCESS).destroy();
    }
  }

  /** Starts 1 to 4 are the first round, 5 to 8 the second; remember 1 begins, 2 ends phase one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "before-create-sandbox",
        "after-create-sandbox",
        "before-start#3",
        "after-start#4",
        "before-remember#1",
        "after-remember#1",
        "before-signal#1",
        "after-signal#2",
        "after-remove#1",
        "after-remember#2",
        "after-start#6",
        "after-start#8",
        "after-remember#3"
      })
  void one_trigger_one_restart_wherever_the_program_dies(String point) throws Exception {
    Needs.root();
    var name = "p" + pods++;
    var manifest = directory.resolve("pod.json");
    Files.writeString(manifest, NodeIT.fourContainers("src").replace("\"p\"", "\"" + name + "\""));

    assertThat(runUntilCrash(point, manifest)).as("reached " + point).isEqualTo(137);

    try (var cluster = LocalCluster.start(data(), Gates.product(), Road.IN_PROCESS);
        var seen = new Wait(cluster, "t")) {
      var pod =
          seen.until(
              name,
              SOON,
              p -> Wait.condition(p, "Ready").equals("True") && Wait.count(p, "src") >= 1);
      assertThat(List.of("init", "side", "src", "reg")).allMatch(one -> Wait.count(pod, one) == 1);
      assertThat(Wait.condition(pod, "AllContainersRestarting")).isEqualTo("False");
      var uid = new PodUid(pod.at("/metadata/uid").asText());
      var volume = data().resolve("node/pods").resolve(uid.value()).resolve("volumes/v/init");
      assertThat(Files.readString(volume)).isEqualTo("run\nrun\n");
      assertThat(cluster.runtime().containers(uid)).allMatch(record -> record.epoch() == 1);
      earlierPodsAreUntouched(cluster, uid);
    }
  }

  /** Pods of the crashes before live on: each crash adopts their containers once more. */
  private static void earlierPodsAreUntouched(LocalCluster cluster, PodUid newest)
      throws Exception {
    for (var one : cluster.runtime().pods()) {
      var containers =
          cluster.runtime().containers(one).stream()
              .map(record -> record.key() + " is process " + record.pid())
              .toList();
      if (!one.equals(newest)) {
        assertThat(containers).as("containers of an earlier pod").isEqualTo(KNOWN.get(one));
      }
      KNOWN.put(one, containers);
    }
  }

  private static Path data() {
    return directory.resolve("cluster");
  }

  private static int runUntilCrash(String point, Path manifest) throws Exception {
    Files.createDirectories(data());
    var java = ProcessHandle.current().info().command().orElse("java");
    var process =
        new ProcessBuilder(
                java,
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LocalCluster.class.getName(),
                data().toString(),
                "product",
                point,
                manifest.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("out").toFile())
            .start();
    try {
      if (!process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(
            point + " was not reached: " + Files.readString(directory.resolve("out")));
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
