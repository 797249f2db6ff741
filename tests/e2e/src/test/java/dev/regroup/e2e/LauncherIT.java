package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/regroup} on machines where something is missing, and as other users. */
class LauncherIT {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final String NEEDS =
      "regroup: the first start builds Regroup and needs Maven and a network";

  /** What the launcher calls, without Maven. */
  private static final List<String> TOOLS =
      List.of(
          "sh",
          "cat",
          "date",
          "dirname",
          "env",
          "find",
          "grep",
          "head",
          "id",
          "mktemp",
          "readlink",
          "rm",
          "sed",
          "setpriv",
          "sleep",
          "uname",
          "unshare",
          "mount");

  @TempDir Path folder;

  /** A checkout with nothing built in it. */
  private Path checkout;

  private Path tools;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require(); // to hide parts of the machine and to become somebody else
  }

  @BeforeEach
  void checkOut() throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    checkout = Files.createDirectory(folder.resolve("checkout"));
    copy("bin/regroup");
    copy("bin/jdk25");
    tools = Files.createDirectory(folder.resolve("tools"));
    for (String tool : TOOLS) {
      tool(tool, "exec " + find(tool) + " \"$@\"");
    }
  }

  @Test
  void without_a_jdk_25_it_says_what_to_install() throws Exception {
    var places = new ArrayList<>(List.of(System.getProperty("java.home")));
    Stream.of("/usr/lib/jvm", "/usr/java", "/opt")
        .filter(place -> Files.isDirectory(Path.of(place)))
        .forEach(places::add);
    var script = new StringBuilder();
    places.forEach(place -> script.append("mount -t tmpfs none ").append(place).append(" && "));

    String said = failing("unshare", "-m", "sh", "-c", script + "exec " + launcher());

    assertThat(said)
        .isEqualTo(
            "regroup: no JDK 25 found (install one, such as openjdk-25-jdk or Temurin 25,"
                + " or set JAVA_HOME to it)");
  }

  @Test
  void without_maven_it_names_maven_and_network() throws Exception {
    assertThat(failing(launcher())).startsWith(NEEDS).contains("install Maven");
  }

  @Test
  void without_a_network_it_names_maven_and_network() throws Exception {
    assumeTrue(Files.exists(Path.of("/usr/bin/mvn")), "Maven is not in /usr/bin");
    copy("pom.xml");
    try (var modules = Files.newDirectoryStream(ROOT, "[a-z]*")) {
      for (Path module : modules) {
        if (Files.exists(module.resolve("pom.xml"))) {
          copy(ROOT.relativize(module) + "/pom.xml");
        }
      }
    }
    for (String module : List.of("style", "e2e", "bench")) {
      copy("tests/" + module + "/pom.xml");
    }

    String said =
        failing(
            Map.of(
                "PATH",
                "/usr/bin:/bin",
                "MAVEN_OPTS",
                "-Dmaven.repo.local=" + folder.resolve("repository")),
            "unshare",
            "-n",
            launcher());

    assertThat(said).contains(NEEDS + " (Maven is here, the network is not)");
  }

  @Test
  void builds_as_the_person_behind_sudo() throws Exception {
    Path note = Files.createFile(folder.resolve("note"));
    Files.setPosixFilePermissions(note, PosixFilePermissions.fromString("rw-rw-rw-"));
    tool("sudo", "shift 2; user=$1; shift; exec setpriv --reuid \"$user\" --clear-groups \"$@\"");
    tool("mvn", "echo \"$(id -un) in $PWD: $*\" >" + note);

    failing(Map.of("SUDO_USER", "nobody"), launcher());

    assertThat(Files.readString(note))
        .isEqualTo("nobody in " + checkout + ": -B -Pquick -pl cli -am package\n");
  }

  @Test
  void who_is_not_root_is_told_what_to_do() throws Exception {
    var program = Program.regroup();
    assumeTrue(program.contains("-jar"), "the program is not packaged");
    Path jar = folder.resolve("regroup.jar"); // the checkout may be closed to others
    Files.copy(Path.of(program.getLast()), jar);
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path manifest = Files.copy(ROOT.resolve("examples/training.yaml"), folder.resolve("t.yaml"));

    String said =
        failing(
            "setpriv",
            "--reuid",
            "nobody",
            "--regid",
            "nogroup",
            "--clear-groups",
            java.toString(),
            "-jar",
            jar.toString(),
            "run",
            manifest.toString());

    assertThat(said).isEqualTo("regroup: containers need root for now (start Regroup with sudo)");
  }

  @Test
  void starts_from_anywhere_through_a_link() throws Exception {
    assumeTrue(Program.regroup().contains("-jar"), "the program is not packaged");
    Path link = Files.createSymbolicLink(folder.resolve("link"), ROOT.resolve("bin/regroup"));

    try (var program = Program.command(Map.of(), List.of(link.toString(), "--version"))) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isZero();
      assertThat(program.output()).matches("regroup \\d+\\.\\d+\\.\\d+.*, Java 25.*");
    }
  }

  /** As docs/cluster.md says. */
  @Test
  void under_the_name_of_a_plugin_kubectl_finds_it() throws Exception {
    assumeTrue(Program.regroup().contains("-jar"), "the program is not packaged");
    Kubectl.require();
    Path plugins = Files.createDirectory(folder.resolve("plugins"));
    Files.createSymbolicLink(plugins.resolve("kubectl-regroup"), ROOT.resolve("bin/regroup"));

    try (var cluster = Cluster.up(folder)) {
      var environment =
          Map.of(
              "PATH",
              plugins + ":" + System.getenv("PATH"),
              "KUBECONFIG",
              cluster.kubeconfig().toString());
      try (var status = Program.command(environment, List.of("kubectl", "regroup", "status"))) {
        assertThat(status.awaitExit(LIMIT)).as(status.output()).isZero();
        assertThat(status.output()).contains("NAMESPACE");
      }
    }
  }

  private String failing(String... command) throws Exception {
    return failing(Map.of(), command);
  }

  private String failing(Map<String, String> more, String... command) throws Exception {
    var environment = new HashMap<>(Map.of("PATH", tools.toString(), "HOME", folder.toString()));
    environment.putAll(Map.of("JAVA_HOME", "", "REGROUP_JAVA_HOME", "", "SUDO_USER", ""));
    environment.putAll(more);
    try (var program = Program.command(environment, List.of(command))) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(1);
      return program.output();
    }
  }

  private String launcher() {
    return checkout.resolve("bin/regroup").toString();
  }

  private void copy(String file) throws IOException {
    Path copy = checkout.resolve(file);
    Files.createDirectories(copy.getParent());
    Files.copy(ROOT.resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
  }

  private void tool(String name, String script) throws IOException {
    Path file = Files.writeString(tools.resolve(name), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path find(String tool) {
    return Stream.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")
        .map(place -> Path.of(place, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError(tool + " is missing on this machine"));
  }
}
