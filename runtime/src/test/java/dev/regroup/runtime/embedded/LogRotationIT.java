package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.log.LogHole;
import dev.regroup.runtime.embedded.log.TestLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers that write more than is kept. */
@SuppressWarnings("NullAway.Init") // set before each test
class LogRotationIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long BOUND = TestLog.SMALL.keep() + TestLog.SMALL.stride() + LogHole.BLOCK;
  private static final int LAST = 300_000;
  private static final long COUNT_BYTES = 1_988_895; // of the numbers up to there, a line each
  private static final int MANY = 20_000;
  private static final long MANY_BYTES = 108_894;
  private static final String COUNT = "seq 1 " + LAST;
  private static final String WAIT = "; while [ ! -e /gate/go ]; do sleep 0.01; done";

  @TempDir Path directory;
  private Path gate;
  private Machine machine;

  @BeforeEach
  void open() throws Exception {
    RootOnly.check();
    gate = Files.createDirectory(directory.resolve("gate"));
    machine = reopened();
  }

  @AfterEach
  void close() {
    if (machine != null) {
      machine.close();
    }
  }

  private Machine reopened() throws Exception {
    return new Machine(directory.resolve("data"), TestLog.SMALL);
  }

  private ContainerConfig shell(String script) throws Exception {
    return Machine.shell(machine.sandbox(), "main", script)
        .withMounts(List.of(ContainerConfig.Mount.of(gate, "/gate")));
  }

  private Path log(ContainerConfig spec) {
    return new Layout(machine.directory).log(spec.key());
  }

  private void awaitBounded(Path log) {
    assertThat(Facts.within(PATIENCE, () -> TestLog.allocated(log) <= BOUND && !isTooLong(log)))
        .as("%s takes %d bytes", log, TestLog.allocated(log))
        .isTrue();
  }

  /** Whether another step is due. */
  private static boolean isTooLong(Path log) {
    try {
      long kept = Files.size(log) - LogHole.end(log);
      return kept > TestLog.SMALL.keep() + TestLog.SMALL.stride();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitSize(Path log, long size) {
    assertThat(Facts.within(PATIENCE, () -> log.toFile().length() >= size)).isTrue();
  }

  private List<String> lines(ContainerConfig spec, LogQuery query) throws Exception {
    return TestLog.rest(machine.runtime.log(spec.key(), query));
  }

  /** The numbers from the first of them to the last one written. */
  private static void isTheEndOfTheCount(List<String> lines) {
    int first = Integer.parseInt(lines.getFirst());
    assertThat(first).isGreaterThan(LAST - 20_000);
    assertThat(lines)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(first, LAST).mapToObj(Integer::toString).toList());
  }

  @Test
  void a_chatty_container_does_not_fill_the_disk() throws Exception {
    var spec = shell(COUNT + WAIT);
    var before = Instant.now().minusSeconds(1);
    machine.runtime.start(spec);
    awaitSize(log(spec), COUNT_BYTES);

    awaitBounded(log(spec));

    isTheEndOfTheCount(lines(spec, LogQuery.ALL));
    assertThat(lines(spec, LogQuery.ALL.tailing(2))).containsExactly("299999", "300000");
    isTheEndOfTheCount(lines(spec, LogQuery.ALL.from(before)));
    assertThat(lines(spec, LogQuery.ALL.from(Instant.now().plusSeconds(60)))).isEmpty();
    try (var reader = machine.runtime.log(spec.key(), LogQuery.ALL)) {
      assertThat(reader.next().orElseThrow().time()).isBetween(before, Instant.now());
    }
  }

  @Test
  void a_container_that_writes_and_ends_at_once_leaves_a_short_log() throws Exception {
    var spec = shell(COUNT + "; exit 3");
    machine.run(spec);

    awaitBounded(log(spec));

    isTheEndOfTheCount(lines(spec, LogQuery.ALL));
    machine.runtime.remove(spec.key());
    isTheEndOfTheCount(lines(spec, LogQuery.ALL.following()));
  }

  /** Some are over before anybody could look: that must make no difference. */
  @Test
  void containers_that_end_before_anybody_looks_leave_short_logs() throws Exception {
    var pod = machine.sandbox();
    var specs =
        IntStream.range(0, 40)
            .mapToObj(i -> Machine.shell(pod, "c" + i, "seq 1 " + MANY + "; exit 3"))
            .toList();
    try (var starting = Executors.newFixedThreadPool(4)) {
      for (var start : starting.invokeAll(specs.stream().map(this::starting).toList())) {
        start.get();
      }
    }

    for (var spec : specs) {
      assertThat(Facts.within(PATIENCE, () -> log(spec).toFile().length() == MANY_BYTES)).isTrue();
      awaitBounded(log(spec));
    }
  }

  private Callable<RuntimeRecord> starting(ContainerConfig spec) {
    return () -> machine.runtime.start(spec);
  }

  @Test
  void a_follower_sees_every_line_of_a_writer_it_keeps_up_with() throws Exception {
    var spec =
        shell(
            "n=0; while [ $n -lt 40 ]; do n=$((n + 1)); seq -f %0999.0f $((n * 5)) $((n * 5 + 4));"
                + " while [ ! -e /gate/$n ]; do sleep 0.002; done; done");
    machine.runtime.start(spec);

    try (var reader = machine.runtime.log(spec.key(), LogQuery.ALL.following())) {
      for (int i = 5; i < 205; i++) { // 200 KB
        var line = TestLog.text(reader.next().orElseThrow());
        assertThat(line).hasSize(999);
        assertThat(Integer.parseInt(line)).isEqualTo(i);
        if (i % 5 == 4) {
          Files.createFile(gate.resolve(Integer.toString(i / 5)));
        }
      }
      assertThat(reader.next()).isEmpty();
    }
    awaitBounded(log(spec));
    assertThat(Integer.parseInt(lines(spec, LogQuery.ALL).getFirst())).isGreaterThan(100);
  }

  @Test
  void a_follower_too_slow_for_its_writer_gets_complete_lines_in_order() throws Exception {
    var spec = shell("echo 0" + WAIT + "; " + COUNT);
    machine.runtime.start(spec);

    try (var reader = machine.runtime.log(spec.key(), LogQuery.ALL.following())) {
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("0");
      Files.createFile(gate.resolve("go"));
      machine.awaitEnd(spec.key());
      awaitBounded(log(spec));

      isTheEndOfTheCount(TestLog.rest(reader));
    }
  }

  @Test
  void a_program_that_was_gone_meanwhile_rotates_what_came() throws Exception {
    var running = shell("while [ ! -e /gate/go ]; do sleep 0.01; done; " + COUNT + "; sleep 1000");
    var ending = shell("while [ ! -e /gate/go ]; do sleep 0.01; done; " + COUNT);
    machine.runtime.start(running);
    machine.runtime.start(ending);
    machine.runtime.close();
    Files.createFile(gate.resolve("go"));
    awaitSize(log(running), COUNT_BYTES);
    assertThat(TestLog.allocated(log(running))).isGreaterThan(1_000_000);

    machine = reopened();

    machine.awaitEnd(ending.key());
    for (var spec : List.of(running, ending)) {
      awaitBounded(log(spec));
      isTheEndOfTheCount(lines(spec, LogQuery.ALL));
    }
    assertThat(machine.record(running.key()).state()).isEqualTo(State.RUNNING);
  }

  @Test
  void a_rotated_log_reads_the_same_after_a_restart_of_the_program() throws Exception {
    var spec = shell("printf 'a\\0b\\n'; " + COUNT + "; printf 'a\\0b\\n'" + WAIT);
    machine.runtime.start(spec);
    awaitSize(log(spec), COUNT_BYTES + 8);
    awaitBounded(log(spec));
    var before = lines(spec, LogQuery.ALL);
    machine.runtime.close();

    machine = reopened();

    assertThat(lines(spec, LogQuery.ALL)).isEqualTo(before);
    assertThat(before.getLast()).isEqualTo("a\0b");
    isTheEndOfTheCount(before.subList(0, before.size() - 1));
    assertThat(lines(spec, LogQuery.ALL.tailing(1_000_000))).isEqualTo(before);
  }

  @Test
  void a_program_cannot_empty_its_log() throws Exception {
    var spec = shell(COUNT + WAIT + "; : > /proc/self/fd/1; echo new; sleep 1000");
    machine.runtime.start(spec);
    awaitSize(log(spec), COUNT_BYTES);
    awaitBounded(log(spec));

    try (var reader = machine.runtime.log(spec.key(), LogQuery.ALL.following().tailing(1))) {
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("300000");
      Files.createFile(gate.resolve("go"));

      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("new");
    }
    assertThat(lines(spec, LogQuery.ALL)).endsWith("299999", "300000", "new");
  }

  @Test
  void a_container_that_restarts_for_ever_has_few_logs_and_the_newest_RAC_16_STS_17()
      throws Exception {
    var pod = machine.sandbox();
    for (int run = 0; run < 8; run++) {
      var key = new ContainerKey(pod, "main", run);
      machine.run(ContainerConfig.of(key, 1, List.of("echo", "run " + run)));
      machine.runtime.remove(key);
    }

    assertThat(machine.runtime.loggedRuns(pod, "main")).containsExactly(3, 4, 5, 6, 7);
    assertThat(machine.log(new ContainerKey(pod, "main", 6))).containsExactly("run 6");
    try (var files = Files.list(new Layout(machine.directory).logs(pod, "main"))) {
      assertThat(files).hasSizeLessThanOrEqualTo(10); // each with its index
    }
  }
}
