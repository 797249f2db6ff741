package dev.regroup.runtime.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime.InputEnd;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.WindowSize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What goes into programs in containers and what comes out of them. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class StreamsIT {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String OWN_SLEEP = "sleep 4711" + ProcessHandle.current().pid();
  private static final String IDLE = "while :; do sleep 1000; done";

  @TempDir Path directory;
  private Machine machine;

  @BeforeEach
  void open() throws Exception {
    RootOnly.check();
    machine = new Machine(directory.resolve("data"));
  }

  @AfterEach
  void close() throws Exception {
    if (machine != null) {
      machine.close();
    }
  }

  @Test
  void a_command_at_a_terminal_has_one_of_its_own_that_the_container_sees() throws Exception {
    var key = idle();

    try (var session = terminal(key, "tty; test -c $(tty) && echo seen; ps -o tty= -p $$")) {
      assertThat(all(session)).isEqualTo("/dev/pts/0\r\nseen\r\npts/0\r\n");
      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(0));
    }
  }

  @Test
  void a_terminal_has_the_size_it_is_told() throws Exception {
    var key = idle();

    var script = "trap 'stty size' WINCH; echo set; while :; do sleep 0.05; done";
    try (var session = terminal(key, script)) {
      awaitText(session.stdout(), "set");
      session.resize(new WindowSize(101, 33));
      awaitText(session.stdout(), "33 101");
      session.resize(new WindowSize(80, 24));
      awaitText(session.stdout(), "24 80");
    }
  }

  @Test
  void what_is_typed_is_a_signal_if_it_is_one() throws Exception {
    var key = idle();

    try (var session =
        terminal(key, "trap 'exit 9' INT; echo ready; while :; do sleep 0.05; done")) {
      awaitText(session.stdout(), "ready");
      session.stdin().write(3); // control-C

      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(9));
    }
  }

  @Test
  void closing_a_session_leaves_no_process_of_it() throws Exception {
    var key = idle();
    for (var console : Console.values()) {
      var request = new ExecRequest(List.of("sh", "-c", OWN_SLEEP + " & echo up; wait"), console);
      var session = machine.runtime.exec(key, request);
      awaitText(session.stdout(), "up");

      session.close();

      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(137));
      assertThat(
              Facts.within(LIMIT, () -> ProcessHandle.allProcesses().noneMatch(StreamsIT::sleeps)))
          .as("after a session with %s", console)
          .isTrue();
    }
  }

  private static boolean sleeps(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains(OWN_SLEEP);
  }

  @Test
  void sessions_end_with_their_container_and_the_next_run_can_be_talked_with() throws Exception {
    for (PodUid pod : List.of(machine.sandbox(), machine.sharedSandbox())) {
      var spec = Machine.shell(pod, "main", IDLE);
      machine.runtime.start(spec);
      try (var session = machine.runtime.exec(spec.key(), ExecRequest.of(List.of("sleep", "99")))) {
        machine.runtime.stop(spec.key(), Machine.RESTART);

        assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(137));
        assertThat(session.stdout().read()).isEqualTo(-1);
      }
      machine.runtime.start(spec.next());
      assertThat(machine.runtime.run(spec.key().next(), List.of("true"), LIMIT, 9).succeeded())
          .isTrue();
    }
  }

  @Test
  void much_goes_through_both_ways_and_a_slow_reader_holds_it_up() throws Exception {
    var key = idle();
    byte[] piece = new byte[1 << 16];
    var random = new Random(5);
    var sent = MessageDigest.getInstance("SHA-256");
    var received = MessageDigest.getInstance("SHA-256");

    try (var session = machine.runtime.exec(key, new ExecRequest(List.of("cat"), Console.INPUT))) {
      var writer =
          Thread.ofVirtual()
              .start(() -> {
                try (var stdin = session.stdin()) {
                  for (int i = 0; i < 300; i++) {
                    random.nextBytes(piece);
                    sent.update(piece);
                    stdin.write(piece);
                  }
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      assertThat(writer.join(Duration.ofMillis(300))).as("nobody reads yet").isFalse();
      byte[] buffer = new byte[10_000];
      for (int n = session.stdout().read(buffer); n >= 0; n = session.stdout().read(buffer)) {
        received.update(buffer, 0, n);
      }
      writer.join();
      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(0));
    }
    assertThat(received.digest()).isEqualTo(sent.digest());
  }

  @Test
  void idle_sessions_cost_one_thread_together() throws Exception {
    var key = idle();
    var sessions = new ArrayList<ExecSession>();
    var readers = new ArrayList<Thread>();
    try {
      for (int i = 0; i < 20; i++) {
        var session =
            machine.runtime.exec(key, new ExecRequest(List.of("sleep", "99"), Console.INPUT));
        sessions.add(session);
        readers.add(Thread.ofVirtual().start(() -> drain(session.stdout())));
      }

      var names = Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
      assertThat(names).filteredOn("streams"::equals).hasSize(1);
      assertThat(names).filteredOn(name -> name.startsWith("exec")).isEmpty();
    } finally {
      sessions.forEach(ExecSession::close);
      for (var reader : readers) {
        reader.join();
      }
    }
  }

  @Test
  void who_attaches_talks_with_the_command_itself() throws Exception {
    var pod = machine.sandbox();
    var spec =
        Machine.shell(pod, "main", "echo early; while read line; do echo got $line; done; exit 6")
            .withConsole(Console.INPUT);
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("early");

    try (var first = machine.runtime.attach(spec.key(), InputEnd.DETACHES)) {
      first.stdin().write("one\n".getBytes(UTF_8));
      awaitText(first.stdout(), "got one");
    }
    try (var second = machine.runtime.attach(spec.key(), InputEnd.ENDS_INPUT)) {
      second.stdin().write("two\n".getBytes(UTF_8));
      awaitText(second.stdout(), "got two");
      second.stdin().close();

      assertThat(second.waitFor(LIMIT)).isEqualTo(OptionalInt.of(6));
      assertThat(all(second)).isEqualTo("\n"); // behind what was waited for
    }
    assertThat(machine.log(spec.key())).containsExactly("early", "got one", "got two");
  }

  @Test
  void who_leaves_waits_for_the_command_no_more() throws Exception {
    var key = idle();
    var session = machine.runtime.attach(key, InputEnd.DETACHES);
    var waiting =
        Thread.ofVirtual()
            .start(() -> {
              try {
                var _ = session.waitFor(Duration.ofDays(3650));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });

    session.close();

    assertThat(waiting.join(LIMIT)).isTrue();
    assertThat(session.waitFor(LIMIT)).isEmpty();
  }

  @Test
  void a_container_at_a_terminal_writes_its_log_and_reads_what_is_typed() throws Exception {
    var spec = screen(machine.sandbox());
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("/dev/pts/0");

    try (var session = machine.runtime.attach(spec.key(), InputEnd.DETACHES)) {
      session.resize(new WindowSize(90, 30));
      session.stdin().write("size\n".getBytes(UTF_8));
      awaitText(session.stdout(), "30 90");
    }
    try (var session = machine.runtime.attach(spec.key(), InputEnd.DETACHES)) {
      session.stdin().write("bye\n".getBytes(UTF_8));
      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(7));
    }
    assertThat(machine.log(spec.key())).contains("30 90").last().isEqualTo("done");
  }

  @Test
  void input_and_terminal_outlive_this_program() throws Exception {
    var pod = machine.sandbox();
    var reads = Machine.shell(pod, "reads", "cat; exit 5").withConsole(Console.INPUT);
    var screen = screen(pod);
    machine.runtime.start(reads);
    machine.runtime.start(screen);
    machine.firstLine(screen.key());

    machine.runtime.close();
    machine = new Machine(directory.resolve("data"));

    try (var session = machine.runtime.attach(reads.key(), InputEnd.ENDS_INPUT)) {
      session.stdin().write("still there\n".getBytes(UTF_8));
      awaitText(session.stdout(), "still there");
      session.stdin().close();
      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(5));
    }
    try (var session = machine.runtime.attach(screen.key(), InputEnd.DETACHES)) {
      session.stdin().write("bye\n".getBytes(UTF_8));
      assertThat(session.waitFor(LIMIT)).isEqualTo(OptionalInt.of(7));
    }
  }

  @Test
  void connects_to_what_a_pod_has_on_its_loopback_only() throws Exception {
    var pod = machine.sandbox();
    var spec =
        ContainerConfig.of(
            new ContainerKey(pod, "main", 0),
            1,
            List.of(
                "perl",
                "-MIO::Socket::INET",
                "-e",
                "$| = 1; $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 8765,"
                    + " Listen => 5) or die; print \"ready\\n\"; $c = $s->accept;"
                    + " print $c 'you said ' . <$c>; close $c"));
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("ready");

    try (var connection = machine.runtime.connect(pod, 8765)) {
      connection.write(ByteBuffer.wrap("hello\n".getBytes(UTF_8)));
      var answer = new String(connection.socket().getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).isEqualTo("you said hello\n");
    }
    assertThatThrownBy(() -> machine.runtime.connect(pod, 8766))
        .isInstanceOf(RuntimeFailure.class)
        .hasMessageContaining("dial tcp4 127.0.0.1:8766: connect: connection refused");
  }

  private ContainerKey idle() throws Exception {
    var spec = Machine.shell(machine.sandbox(), "main", IDLE);
    machine.runtime.start(spec);
    return spec.key();
  }

  private static ContainerConfig screen(PodUid pod) {
    return Machine.shell(
            pod,
            "screen",
            "tty; while read line; do case $line in size) stty size;; *) echo done; exit 7;; esac;"
                + " done")
        .withConsole(Console.TERMINAL);
  }

  private ExecSession terminal(ContainerKey key, String script) throws Exception {
    return machine.runtime.exec(
        key, new ExecRequest(List.of("sh", "-c", script), Console.TERMINAL));
  }

  private static String all(ExecSession session) throws IOException {
    return new String(session.stdout().readAllBytes(), UTF_8);
  }

  private static void drain(InputStream stream) {
    try {
      stream.readAllBytes();
    } catch (IOException e) {
      return; // closed by the test
    }
  }

  private static void awaitText(InputStream stream, String text) throws IOException {
    var seen = new StringBuilder();
    while (seen.indexOf(text) < 0) {
      int one = stream.read();
      if (one < 0) {
        throw new AssertionError("ended without \"" + text + "\": " + seen);
      }
      seen.append((char) one);
    }
  }
}
