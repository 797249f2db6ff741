package dev.regroup.node.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RunOutput;
import dev.regroup.runtime.RuntimeRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a pod tells of its restarts and of the program in it. */
class PodTellsRestartsTest extends OnePod {

  /** A restart is told by the status that shows its end; no patch is sent for it alone. */
  @Test
  void a_pod_tells_of_its_restarts_also_those_an_earlier_node_saw() throws Exception {
    var pod = pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));
    assertThat(annotation("regroup.dev/restarts")).isEmpty();
    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));
    stopNode();
    assertThat(statuses()).doesNotHaveDuplicates();

    var known = withStatus(pod, latest());
    known.withObject("/metadata/annotations").setAll(told());
    start(known);
    runtime.exit(new ContainerKey(UID, "a", 1), 42);
    await(s -> count(s, "a") == 2 && condition(s, "Ready").equals("True"));

    var history = RestartHistories.read(told());
    assertThat(history.completed()).isEqualTo(2);
    assertThat(history.newest()).extracting(CompletedRestart::cycle).containsExactly(1, 2);
    assertThat(history.newest().getLast().moments())
        .containsOnlyKeys(
            Moment.EXIT_SEEN, Moment.NOTICED, Moment.STOPPED, Moment.REMOVED, Moment.RUNNING);
  }

  @Test
  void a_pod_tells_when_its_program_works_again_and_what_it_does_twice() throws Exception {
    start(pod("Never", RESTART_ALL_ON_42, container("a", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));
    runtime.writes(new Written(new ContainerKey(UID, "a", 0), "step 7\nstep 8 of 20\n"));

    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));
    runtime.writes(new Written(new ContainerKey(UID, "a", 1), "on\rstep 6 of 20\nstep 8 of 20\n"));

    await(_ -> newest().moments().containsKey(Moment.CAUGHT_UP));
    var restart = newest();
    assertThat(restart.moments()).containsKey(Moment.FIRST_OUTPUT);
    assertThat(restart.program().reached()).isEqualTo(8);
    assertThat(restart.program().resumed()).isEqualTo(6);
    assertThat(restart.program().redone()).isEqualTo(3);
    assertThat(restart.program().lastOutput()).isNotNull();
  }

  /** A status has whole seconds, and within one a whole group may fall. */
  @Test
  void a_pod_that_fails_tells_when_to_the_microsecond_with_the_status_that_shows_it()
      throws Exception {
    var member = member(container("w", "sleep", ""));
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    start(member);
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "w", 0), 1);
    await(s -> s.toString().contains("\"exitCode\":1"));

    var failed = RestartHistories.read(told()).life().failed();
    assertThat(failed).isNotNull();
    assertThat(latest().toString())
        .contains("\"finishedAt\":\"" + failed.truncatedTo(ChronoUnit.SECONDS) + "\"");
  }

  /**
   * RAC-55: who does not catch the signal is killed at once, however long that takes; who catches
   * it may end by SIGKILL all the same, and who has just ended by itself heard nothing.
   */
  @ParameterizedTest
  @CsvSource({
    "137,UNHEARD,false",
    "137,HEARD,true",
    "143,HEARD,true",
    "0,HEARD,true",
    "1,NONE,false"
  })
  void a_pod_tells_whether_a_program_heard_that_it_is_to_end(
      int code, RuntimeRecord.Warning warning, boolean heard) throws Exception {
    runtime.endsWhenStopped(code, warning);
    start(
        pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""), container("b", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "b") == 1 && condition(s, "Ready").equals("True"));

    assertThat(newest().program().warned()).isEqualTo(heard);
  }

  /**
   * The next attempt empties the file, sooner than anybody looks at it. Behind its first line may
   * be more than memory can hold.
   */
  @ParameterizedTest
  @ValueSource(longs = {5, 5L << 30})
  void the_last_step_that_a_worker_writes_into_its_file_is_not_lost(long size) throws Exception {
    var file = directory.resolve("pods/u1/group/progress");
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));

    Files.writeString(file, "8/20\n");
    lengthen(file, size);
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(1));
    pokes.poke();
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("2"));
    orders = GroupOrders.of(OptionalInt.of(2), OptionalInt.of(1));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True") && count(s, "w") == 1);
    Files.writeString(file, "6/20");

    await(_ -> newest().program().resumed() == 6);
    assertThat(newest().program().reached()).isEqualTo(8);
    assertThat(newest().moments()).containsKey(Moment.FIRST_OUTPUT);
  }

  /** With a hole: nothing is on the disk. */
  private static void lengthen(Path file, long size) throws IOException {
    try (var longer = new RandomAccessFile(file.toFile(), "rw")) {
      longer.setLength(size);
    }
  }

  private CompletedRestart newest() {
    return RestartHistories.read(told()).newest().getLast();
  }

  /** Output that is all there at once. */
  private record Written(ContainerKey key, String text, Instant first) implements RunOutput {

    Written(ContainerKey key, String text) {
      this(key, text, Instant.now());
    }

    @Override
    public Instant last() {
      return first;
    }

    @Override
    public long size() {
      return text.length();
    }

    @Override
    public byte[] newest(long after, int limit) {
      return text.substring((int) after).getBytes(UTF_8);
    }
  }

  /** The annotations of the newest patch that carries some. */
  private ObjectNode told() {
    return transport.sent().reversed().stream()
        .map(sent -> sent.body().path("metadata").path("annotations"))
        .filter(JsonNode::isObject)
        .map(annotations -> Wire.tree(annotations.toString()))
        .findFirst()
        .orElseThrow();
  }
}
