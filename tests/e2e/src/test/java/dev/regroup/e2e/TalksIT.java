package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kubectl exec, attach, cp, run, debug, port-forward: people talk with what runs in their pods. */
@SuppressWarnings("NullAway.Init") // set before all tests
class TalksIT {

  private static final int MUCH = 50 << 20; // 50 MiB

  /** Answers each line with its length and its text; only the pod itself can reach it. */
  private static final String ECHO =
      "use IO::Socket::INET; $SIG{CHLD} = 'IGNORE'; $s = IO::Socket::INET->new(LocalAddr =>"
          + " '127.0.0.1', LocalPort => 7007, Listen => 50) or die; print STDERR \"ready\\n\";"
          + " while ($c = $s->accept) { if (fork) { close $c; next } while (<$c>) { print $c $_;"
          + " $c->flush } print $c \"over\\n\"; exit }";

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kubectl kubectl;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    Kubectl.require();
    cluster = Cluster.up(folder);
    kubectl = new Kubectl(cluster.kubeconfig(), folder);
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: idle}
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - {name: main, image: host, command: [sleep, infinity]}
          - {name: echo, image: host, command: [perl, -e, %s]}
        """
            .formatted(Kube.JSON.writeValueAsString(ECHO)));
    kubectl.run("wait", "--for=condition=Ready", "pod/idle", "--timeout=60s");
    cluster.kube().awaitText(PODS + "/idle/log", "container=echo", "ready\n"::equals, LIMIT);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void exec_tells_both_outputs_apart_and_how_the_command_ended() throws Exception {
    try (var run =
        kubectl.shell(
            "KUBECTL exec idle -c main -- sh -c 'echo out; echo err >&2; exit 3' 2>"
                + folder.resolve("err"))) {
      assertThat(run.awaitExit(LIMIT)).isEqualTo(3);
      assertThat(run.output()).isEqualTo("out");
    }
    assertThat(Files.readAllLines(folder.resolve("err")))
        .containsExactly("err", "command terminated with exit code 3");
  }

  @Test
  void exec_says_what_it_cannot_do() throws Exception {
    assertThat(refused("exec", "idle", "-c", "main", "--", "no-such-command"))
        .contains("error executing command in container", "executable file not found in $PATH");
    assertThat(refused("exec", "idle", "-c", "other", "--", "true"))
        .contains("container other is not valid for pod idle");
    assertThat(refused("exec", "nobody", "--", "true")).contains("pods \"nobody\" not found");
    assertThat(kubectl.run("exec", "idle", "--", "echo", "hi"))
        .contains("Defaulted container \"main\" out of: main, echo", "hi");
  }

  @Test
  void exec_of_a_container_that_has_ended_says_so() throws Exception {
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: half}
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1
          containers:
          - {name: ended, image: host, command: ["true"]}
          - {name: runs, image: host, command: [sleep, infinity]}
        """);
    kubectl.run(
        "wait",
        "--for=jsonpath={.status.containerStatuses[?(@.name==\"ended\")].state.terminated.exitCode}=0",
        "pod/half",
        "--timeout=60s");

    assertThat(refused("exec", "half", "-c", "ended", "--", "true"))
        .contains("unable to upgrade connection: container not found (\"ended\")");
  }

  @Test
  void much_goes_through_exec_both_ways() throws Exception {
    Path blob = folder.resolve("blob");
    byte[] bytes = new byte[MUCH];
    new Random(1).nextBytes(bytes);
    Files.write(blob, bytes);

    try (var run =
        kubectl.shell("KUBECTL exec -i idle -c main -- cat <%1$s | cmp - %1$s".formatted(blob))) {
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
    }
  }

  @Test
  void cp_brings_files_in_and_out() throws Exception {
    Path there = Files.writeString(folder.resolve("there"), "from outside\n");

    kubectl.run("cp", there.toString(), "idle:/tmp/there", "-c", "main");
    kubectl.run("exec", "idle", "-c", "main", "--", "sh", "-c", "echo and back >>/tmp/there");
    kubectl.run("cp", "idle:/tmp/there", folder.resolve("back").toString(), "-c", "main");

    assertThat(folder.resolve("back")).hasContent("from outside\nand back\n");
  }

  @Test
  void exec_at_a_terminal_is_one() throws Exception {
    try (var run =
        kubectl.type(
            "exec",
            "-it",
            "idle",
            "-c",
            "main",
            "--",
            "sh",
            "-c",
            "tty; read line; echo read $line; exit 4")) {
      run.awaitLine(line -> line.contains("/dev/pts/"), LIMIT);
      run.say("something\n");
      run.awaitLine(line -> line.contains("read something"), LIMIT);
      assertThat(run.awaitExit(LIMIT)).isEqualTo(4);
    }
  }

  @Test
  void a_command_does_not_outlive_the_client_that_started_it() throws Exception {
    try (var run =
        kubectl.start(
            "exec", "idle", "-c", "main", "--", "sh", "-c", "echo up; exec sleep 31415")) {
      run.awaitLine("up"::equals, LIMIT);
      run.kill();
    }

    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (ProcessHandle.allProcesses()
        .anyMatch(process -> process.info().commandLine().orElse("").contains("sleep 31415"))) {
      assertThat(System.nanoTime()).as("the command is gone").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void exec_ends_with_a_restart_in_place_and_works_after_it() throws Exception {
    Path gate = Files.createDirectory(folder.resolve("restarts"));
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: again}
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - name: main
            image: host
            command: [sh, -c, 'mkfifo /gate/$$.$HOSTNAME; echo up; sleep infinity']
            volumeMounts: [{name: gate, mountPath: /gate}]
          - name: trigger
            image: host
            restartPolicy: Never
            restartPolicyRules:
            - {action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}
            command: [sh, -c, 'test -e /gate/done && exec sleep infinity; %s; touch /gate/done; exit 88']
            volumeMounts: [{name: gate, mountPath: /gate}]
          volumes:
          - name: gate
            hostPath: {path: %s}
        """
            .formatted(Fifo.read("/gate/go"), gate));
    Fifo.await(gate.resolve("go"), LIMIT);
    kubectl.run("wait", "--for=condition=Ready", "pod/again", "--timeout=60s");

    try (var run =
        kubectl.start("exec", "again", "-c", "main", "--", "sh", "-c", "echo in; sleep 1000")) {
      run.awaitLine("in"::equals, LIMIT);
      Fifo.write(gate.resolve("go"), "go");
      assertThat(run.awaitExit(LIMIT)).isEqualTo(137);
    }
    kubectl.run(
        "wait",
        "--for=jsonpath={.status.containerStatuses[?(@.name==\"main\")].restartCount}=1",
        "pod/again",
        "--timeout=60s");
    kubectl.run("wait", "--for=condition=Ready", "pod/again", "--timeout=60s");
    assertThat(kubectl.run("exec", "again", "-c", "main", "--", "echo", "alive")).contains("alive");
  }

  @Test
  void run_it_rm_talks_with_a_pod_that_is_gone_afterwards() throws Exception {
    try (var run =
        kubectl.type(
            "run",
            "-it",
            "--rm",
            "visitor",
            "--image=host",
            "--restart=Never",
            "--command",
            "--",
            "sh",
            "-c",
            "while read line; do tty; test $line = bye && exit 5; done")) {
      run.awaitLine(line -> line.contains("If you don't see a command prompt"), LIMIT);
      run.say("hello\n");
      run.awaitLine(line -> line.contains("/dev/pts/0"), LIMIT);
      run.say("bye\n");
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isEqualTo(5);
      assertThat(run.output()).contains("pod \"visitor\" deleted");
    }
    assertThat(kubectl.run("get", "pods", "--ignore-not-found", "visitor")).isBlank();
  }

  @Test
  void run_i_reads_a_pipe_to_its_end() throws Exception {
    Path lines = Files.writeString(folder.resolve("lines"), "a\nb\nc\n");

    try (var run =
        kubectl.shell(
            "KUBECTL run -i --rm counter --image=host --restart=Never --command -- wc -l <"
                + lines)) {
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
      assertThat(run.output()).contains("3");
    }
  }

  @Test
  void attach_joins_the_command_and_leaves_it_running() throws Exception {
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: reader}
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - {name: main, image: host, stdin: true, command: [sh, -c, 'while read x; do echo got $x; done']}
        """);
    kubectl.run("wait", "--for=condition=Ready", "pod/reader", "--timeout=60s");

    for (String word : List.of("one", "two")) {
      try (var run = kubectl.start("attach", "-i", "reader")) {
        run.say(word + "\n");
        run.awaitLine(("got " + word)::equals, LIMIT);
      }
    }
    assertThat(kubectl.run("logs", "reader")).isEqualTo("got one\ngot two\n");
  }

  @Test
  void debug_joins_the_processes_of_a_container() throws Exception {
    try (var run =
        kubectl.type(
            "debug",
            "-it",
            "idle",
            "--image=host",
            "--target=main",
            "--profile=general",
            "-c",
            "doctor",
            "--",
            "sh",
            "-c",
            "while read line; do tr '\\0' ' ' </proc/1/cmdline; echo; exit 6; done")) {
      run.awaitLine(line -> line.contains("If you don't see a command prompt"), LIMIT);
      run.say("look\n");
      run.awaitLine(line -> line.contains("sleep infinity"), LIMIT);
      run.awaitExit(LIMIT);
    }
  }

  @Test
  void port_forward_carries_many_connections_to_what_only_the_pod_reaches() throws Exception {
    var at = Pattern.compile("Forwarding from 127.0.0.1:(\\d+) -> 7007");
    try (var run = kubectl.start("port-forward", "pod/idle", ":7007");
        var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var matcher = at.matcher(run.awaitLine(line -> at.matcher(line).find(), LIMIT));
      assertThat(matcher.find()).isTrue();
      int port = Integer.parseInt(matcher.group(1));

      var talks = new ArrayList<Callable<String>>();
      for (int i = 0; i < 8; i++) {
        int seed = i;
        talks.add(() -> conversation(port, seed));
      }

      for (var talk : clients.invokeAll(talks)) {
        assertThat(talk.get()).isEqualTo("all came back, then over");
      }
    }
  }

  private static String conversation(int port, int seed) throws Exception {
    var lines = new StringBuilder();
    new Random(seed).ints(20_000, 0, 1 << 30).forEach(number -> lines.append(number).append('\n'));
    byte[] sent = lines.toString().getBytes(UTF_8);
    try (var socket = new Socket("127.0.0.1", port)) {
      var writer =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  socket.getOutputStream().write(sent);
                  socket.shutdownOutput(); // the other direction goes on
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      InputStream in = socket.getInputStream();
      var same = new String(in.readNBytes(sent.length), UTF_8).contentEquals(lines);
      var rest = new String(in.readAllBytes(), UTF_8);
      writer.join();
      return same ? "all came back, then " + rest.strip() : "something else came back";
    }
  }

  @Test
  void port_forward_tells_that_nobody_listens() throws Exception {
    var at = Pattern.compile("Forwarding from 127.0.0.1:(\\d+) -> 7008");
    try (var run = kubectl.start("port-forward", "pod/idle", ":7008")) {
      var matcher = at.matcher(run.awaitLine(line -> at.matcher(line).find(), LIMIT));
      assertThat(matcher.find()).isTrue();
      try (var socket = new Socket("127.0.0.1", Integer.parseInt(matcher.group(1)))) {
        socket.getOutputStream().write('x');
        run.awaitLine(line -> line.contains("connect: connection refused"), LIMIT);
      }
    }
  }

  @Test
  void a_node_tells_about_itself() throws Exception {
    var node =
        "/api/v1/" + kubectl.run("get", "nodes", "-o", "name").strip().replace("node/", "nodes/");

    assertThat(kubectl.run("get", "--raw", node + "/proxy/healthz")).isEqualTo("ok\n");
    assertThat(kubectl.run("get", "--raw", node + "/proxy/metrics")).contains("# TYPE ");
    var pods = Kube.JSON.readTree(kubectl.run("get", "--raw", node + "/proxy/pods"));
    assertThat(pods.path("kind").asText()).isEqualTo("PodList");
    assertThat(pods.findValuesAsText("name")).contains("idle");
  }

  private static String refused(String... arguments) throws Exception {
    try (var run = kubectl.start(arguments)) {
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isEqualTo(1);
      return run.output();
    }
  }

  private static void apply(String manifest) throws Exception {
    Path file = Files.createTempFile(folder, "pod", ".yaml");
    Files.writeString(file, manifest);
    kubectl.run("apply", "-f", file.toString());
  }
}
