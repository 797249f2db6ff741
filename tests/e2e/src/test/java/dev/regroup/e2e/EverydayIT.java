package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for every day, without kubectl, and beside it where it is on the path. */
class EverydayIT {

  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    Path file =
        Files.writeString(
            folder.resolve("pod.yaml"),
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p, labels: {app: x}}
            spec:
              terminationGracePeriodSeconds: 0
              containers:
              - {name: c, image: none, command: [sh, -c, 'echo one; echo two; exec sleep 600']}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings}
            data: {a: b}
            """);
    assertThat(regroup(0, "apply", "-f", file.toString()))
        .isEqualTo("pod/p created\nconfigmap/settings created");
    assertThat(regroup(0, "wait", "--for=condition=Ready", "pod/p", "--timeout", "60s"))
        .isEqualTo("pod/p condition met");
    cluster.kube().awaitText(PODS + "/p/log", "", "one\ntwo\n"::equals, LIMIT);
    cluster.kube().awaitEvent("p", "Started", "", LIMIT);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void applying_again_changes_nothing_and_another_value_configures() throws Exception {
    Path file = folder.resolve("settings.yaml");
    String text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: again}, data: {a: %s}}";

    assertThat(applied(file, text.formatted("x"))).isEqualTo("configmap/again created");
    assertThat(applied(file, text.formatted("x"))).isEqualTo("configmap/again unchanged");
    assertThat(applied(file, text.formatted("y"))).isEqualTo("configmap/again configured");
    assertThat(regroup(0, "delete", "-f", file.toString())).contains("\"again\" deleted");
    assertThat(regroup(3, "get", "cm", "again")).contains("configmaps \"again\" not found");
  }

  @Test
  void tables_are_those_of_kubectl() throws Exception {
    Kubectl.require();
    var kubectl = new Kubectl(cluster.kubeconfig(), folder);

    for (String line :
        List.of(
            "get pods",
            "get pods -o wide",
            "get po,cm",
            "get pod/p configmap/settings -o name",
            "get namespaces",
            "get nodes -o name",
            "get pods -A -l app=x",
            "get pods --no-headers")) {
      String theirs = kubectl.run(line.split(" ")).stripTrailing();

      assertThat(unaged(regroup(0, line.split(" ")))).as(line).isEqualTo(unaged(theirs));
    }
  }

  @Test
  void what_is_not_there_is_said_with_its_code() throws Exception {
    assertThat(regroup(3, "get", "pod", "none")).contains("pods \"none\" not found");
    assertThat(regroup(3, "get", "wheels")).contains("doesn't have a resource type \"wheels\"");
    assertThat(regroup(2, "get")).contains("KIND is missing (regroup get pods;");
    assertThat(regroup(2, "delete", "pods")).contains("name one, or say -l SELECTOR or --all");
    assertThat(regroup(4, "wait", "--for=delete", "pod/p", "--timeout", "1s"))
        .contains("timed out waiting for the condition on pods/p");
    assertThat(regroup(2, "wait", "--for=luck", "pod/p")).contains("\"luck\" is not understood");
    assertThat(regroup(0, "get", "persistentvolumeclaims"))
        .isEqualTo("No resources found in default namespace.");
  }

  @Test
  void a_command_runs_inside_with_its_streams_and_its_exit_code() throws Exception {
    assertThat(regroup(7, "exec", "p", "--", "sh", "-c", "echo out; echo err >&2; exit 7"))
        .contains("out")
        .contains("err");
    try (var run = started("exec", "-i", "pod/p", "-c", "c", "--", "head", "-n", "1")) {
      run.say("said\n");
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
      assertThat(run.output()).isEqualTo("said");
    }
    assertThat(regroup(1, "exec", "p", "--", "nosuch")).contains("executable file not found");
    assertThat(regroup(3, "exec", "none", "--", "true")).contains("pods \"none\" not found");
  }

  private static final Path PYTHON = Path.of("/usr/bin/python3");

  /** A terminal for the command after it, whose size changes to what each line of input says. */
  private static final String TERMINAL =
      """
      import fcntl, os, pty, struct, sys, termios, threading
      pid, terminal = pty.fork()
      if pid == 0:
          os.execvp(sys.argv[1], sys.argv[1:])
      def resize():
          for line in sys.stdin:
              rows, columns = map(int, line.split())
              fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
      threading.Thread(target=resize, daemon=True).start()
      try:
          while True:
              os.write(1, os.read(terminal, 1024))
      except OSError:
          pass
      """;

  @Test
  void a_command_hears_of_every_new_size_of_the_terminal() throws Exception {
    assumeTrue(Files.isExecutable(PYTHON), "no terminal to resize without " + PYTHON);
    var line = new ArrayList<>(List.of(PYTHON.toString(), "-c", TERMINAL));
    var exec = new ArrayList<>(List.of("exec", "-it", "p"));
    exec.addAll(List.of("--kubeconfig", cluster.kubeconfig().toString(), "--", "sh", "-c"));
    exec.add("while stty size; do sleep 0.05; done");
    line.addAll(Program.line(exec));
    try (var terminal = Program.command(Map.of(), line)) {
      terminal.say("31 97\n");
      terminal.awaitLine(said -> said.strip().equals("31 97"), LIMIT);
      terminal.say("40 120\n");
      terminal.awaitLine(said -> said.strip().equals("40 120"), LIMIT);
    }
  }

  @Test
  void logs_descriptions_and_events_are_there_to_be_read() throws Exception {
    assertThat(regroup(0, "logs", "p")).isEqualTo("one\ntwo");
    assertThat(regroup(0, "logs", "--tail", "1", "--timestamps", "pod/p")).matches("20\\S+Z two");
    assertThat(regroup(0, "describe", "pod/p"))
        .containsSubsequence(
            "Name:         p", "Labels:       app=x", "Spec:", "Events:", "Started");
    assertThat(regroup(0, "events", "--for", "pod/p")).containsSubsequence("LAST SEEN", "pod/p");
    assertThat(regroup(0, "get", "pod", "p", "-o", "json")).contains("\"kind\" : \"Pod\"");
    assertThat(regroup(0, "get", "pods", "-o", "yaml")).startsWith("apiVersion: v1\nkind: List");
  }

  @Test
  void what_has_ended_is_not_restarted() throws Exception {
    String jobSet =
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: done}
        spec:
          failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}
          replicatedJobs:
          - name: w
            template:
              spec:
                template:
                  spec: {containers: [{name: c, image: none, command: ["true"]}]}
        """;
    applied(folder.resolve("done.yaml"), jobSet);
    regroup(0, "wait", "--for=condition=Completed", "jobset/done", "--timeout", "60s");

    assertThat(regroup(1, "restart", "jobset/done"))
        .isEqualTo(
            "regroup: jobset/done: has ended (Completed), there is nothing to restart (delete it"
                + " and apply it again)");
  }

  /** It may be another cluster that has merged its context into the same file. */
  @Test
  void a_cluster_that_is_none_takes_no_context_out() throws Exception {
    assertThat(regroup(0, "down", "--data-dir", folder + "/none")).contains("no cluster in ");

    assertThat(regroup(0, "get", "pod", "p", "-o", "name")).isEqualTo("pod/p");
  }

  @Test
  void a_shell_completes_commands_and_kinds() throws Exception {
    Path script =
        Files.writeString(folder.resolve("regroup.bash"), regroup(0, "completion", "bash"));

    try (var bash =
        Program.command(
            Map.of(),
            List.of(
                "bash",
                "-c",
                "source "
                    + script
                    + "; COMP_WORDS=(regroup get jobs); COMP_CWORD=2; _complete_regroup;"
                    + " echo ${COMPREPLY[@]}"))) {
      assertThat(bash.awaitExit(LIMIT)).isZero();
      assertThat(bash.output()).contains("jobsets jobs");
    }
  }

  private static String applied(Path file, String text) throws Exception {
    Files.writeString(file, text);
    return regroup(0, "apply", "-f", file.toString());
  }

  /** Ages go on between two looks, and with them the width of their column. */
  private static String unaged(String table) {
    return table.replaceAll("\\b(AGE|\\d+(s|m\\d*s?))(?=\\s|$) *", "AGE ");
  }

  private static String regroup(int code, String... arguments) throws Exception {
    try (var program = started(arguments)) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(code);
      return program.output();
    }
  }

  private static Program started(String... arguments) throws Exception {
    var all = new ArrayList<String>(List.of(arguments[0]));
    if (!arguments[0].equals("completion")) {
      all.addAll(List.of("--kubeconfig", cluster.kubeconfig().toString()));
    }
    all.addAll(List.of(arguments).subList(1, arguments.length));
    return Program.start(Map.of(), all);
  }
}
