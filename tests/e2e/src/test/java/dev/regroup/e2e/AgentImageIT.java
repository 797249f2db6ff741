package dev.regroup.e2e;

import static dev.regroup.e2e.AgentWorld.ATTEMPT;
import static dev.regroup.e2e.AgentWorld.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.regroup.cli.image.AgentImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent's image, unpacked and started with nothing of this machine but its kernel. */
@Timeout(400)
class AgentImageIT {

  private static final Duration BUILD = Duration.ofSeconds(60);

  /** What every container has: /proc and a few devices; then the program as the image's user. */
  private static final String INSIDE =
      """
      root=$1; shift
      mkdir -p $root/proc $root/dev
      mount -t proc proc $root/proc
      for device in null random urandom; do
        touch $root/dev/$device && mount --bind /dev/$device $root/dev/$device
      done
      exec chroot --userspec=65532:65532 $root "$@"
      """;

  @TempDir static Path images;
  @TempDir Path folder;

  private static Path image;
  private AgentWorld world;

  @BeforeAll
  static void build() throws Exception {
    Root.require();
    Path archive = images.resolve("agent.tar");
    AgentImage.write(Files.createDirectories(images.resolve("scratch")), archive, "a/b:c");
    Path layers = Files.createDirectories(images.resolve("layers"));
    image = Files.createDirectories(images.resolve("image"));
    run("tar", "xf", archive.toString(), "-C", layers.toString());
    var list = Kube.JSON.readTree(layers.resolve("manifest.json").toFile()).path(0).path("Layers");
    for (var layer : list) {
      run("tar", "xzf", layers.resolve(layer.asText()).toString(), "-C", image.toString());
    }
  }

  @BeforeEach
  void open() throws Exception {
    world = AgentWorld.open(folder);
    world.pod("p");
    world.jobSet("js");
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  /** JS-130, JS-162. */
  @Test
  void the_image_is_complete_and_the_agent_small() throws Exception {
    try (var agent = start(image, Map.of(), "/in-place-restart-agent")) {
      world.awaitAnnotation("p", ATTEMPT, "0");
      assertThat(mostKilobytes(agent)).as("resident at most").isBetween(8_192, 65_536);
      world.previous("js", 0);

      assertThat(agent.awaitExit(LIMIT)).as(agent.output()).isEqualTo(1);
    }
  }

  /** JS-162: reading them is a sixth of a start; the handshakes of the other tests do without. */
  @Test
  void the_image_knows_no_public_authorities() {
    assertThat(image.resolve("in-place-restart/java/lib/security/cacerts")).doesNotExist();
  }

  /** JS-162: a cache that does not fit would be left aside without a word. */
  @Test
  void the_cache_fits_the_jar_and_the_runtime() throws Exception {
    Path home = image.resolve("in-place-restart");
    var command =
        List.of(
            home.resolve("java/bin/java").toString(),
            "-XX:+UseSerialGC",
            "-XX:AOTMode=on",
            "-XX:AOTCache=" + home.resolve("agent.aot"),
            "-jar",
            home.resolve("agent.jar").toString(),
            "what?");
    try (var agent = Program.command(Map.of(), command)) {
      assertThat(agent.awaitExit(LIMIT)).isEqualTo(1);
      assertThat(agent.output()).contains("usage: in-place-restart-agent");
    }
  }

  /** JS-132a: the user's image has a shell and nothing else, no C library either. */
  @Test
  void an_installed_agent_runs_in_an_image_without_a_c_library() throws Exception {
    Path busybox = Path.of("/usr/bin/busybox");
    if (!Files.exists(busybox) || succeeds("ldd", busybox.toString())) {
      System.out.println(
          "SKIPPED: needs a static /usr/bin/busybox (apt-get install busybox-static)");
      abort("needs a static /usr/bin/busybox");
    }
    Path volume = Files.createDirectories(image.resolve("install"));
    run("chmod", "777", volume.toString());
    try (var install = start(image, Map.of(), "/in-place-restart-agent", "install", "/install")) {
      assertThat(install.awaitExit(BUILD)).as(install.output()).isZero();
    }
    Path users = Files.createDirectories(folder.resolve("users"));
    Files.createDirectories(users.resolve("bin"));
    Files.copy(busybox, users.resolve("bin/busybox"));
    run("ln", "-s", "busybox", users.resolve("bin/sh").toString());
    run("mv", volume.toString(), users.resolve("in-place-restart").toString());
    run("mkdir", "-m", "777", users.resolve("tmp").toString());

    var variables =
        Map.of(
            "JOBSET_RESTART_DIR", "/tmp/jobset",
            "WORKER_COMMAND", "read a </tmp/jobset/attempt; echo at $a and $JOBSET_RESTART_ATTEMPT",
            "IN_PLACE_RESTART_MODE", "process");
    try (var agent = start(users, variables, "/in-place-restart/in-place-restart-agent")) {
      world.awaitAnnotation("p", ATTEMPT, "0");
      world.current("js", 0);

      assertThat(agent.awaitExit(LIMIT)).as(agent.output()).isZero();
      assertThat(agent.output()).contains("at 0 and 0");
    }
  }

  private Program start(Path root, Map<String, String> more, String... command) throws Exception {
    Path account =
        Files.createDirectories(root.resolve("var/run/secrets/kubernetes.io/serviceaccount"));
    run("cp", "-rT", world.account("p", world.token("p")).toString(), account.toString());
    var environment = new HashMap<>(world.environment("js", "p"));
    environment.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    environment.putAll(more);
    var words =
        new java.util.ArrayList<>(
            List.of("unshare", "-m", "sh", "-euc", INSIDE, "sh", root.toString()));
    words.addAll(List.of(command));
    return Program.command(environment, words);
  }

  /** All of them became the program that came after them, so the process is the agent's. */
  private static int mostKilobytes(Program agent) throws IOException {
    var status = Files.readString(Path.of("/proc/" + agent.pid() + "/status"));
    var peak = Pattern.compile("(?m)^VmHWM:\\s+(\\d+) kB$").matcher(status);
    assertThat(peak.find()).as(status).isTrue();
    return Integer.parseInt(peak.group(1));
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
        .as(String.join(" ", command))
        .isZero();
  }

  private static boolean succeeds(String... command) throws Exception {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
