package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.embedded.log.LiveLog;
import dev.regroup.runtime.embedded.log.LogHole;
import dev.regroup.runtime.embedded.log.LogIndex;
import dev.regroup.runtime.embedded.log.LogRetention;
import dev.regroup.runtime.embedded.log.TestLog;
import dev.regroup.runtime.linux.Linux;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What readers see of a log whose oldest part is given back. */
@SuppressWarnings("NullAway.Init") // set before each test
class LogRotationTest {

  private static final int LINES = 20_000; // of 64 bytes: 1.3 MB
  private static final long BOUND = TestLog.SMALL.keep() + TestLog.SMALL.stride() + LogHole.BLOCK;

  @TempDir Path directory;
  private TestLog log;

  @BeforeEach
  void make() throws Exception {
    log = new TestLog(directory);
  }

  @Test
  void the_file_grows_and_its_space_does_not() throws Exception {
    for (int i = 0; i < 10; i++) {
      log.writeLines(i * LINES / 10, (i + 1) * LINES / 10);
      assertThat(TestLog.allocated(log.file)).isLessThanOrEqualTo(BOUND);
    }

    assertThat(Files.size(log.file)).isEqualTo(64L * LINES);
    assertThat(log.live.begin()).isGreaterThan(64L * LINES - BOUND);
    assertThat(log.adopted().begin()).isEqualTo(log.live.begin());
  }

  @Test
  void reading_begins_with_a_complete_line_and_ends_with_the_last() throws Exception {
    log.write("x"); // so that no line begins at a block
    log.writeLines(0, LINES);

    var live = TestLog.rest(log.open(LogQuery.ALL));
    var ended = TestLog.rest(log.openEnded(LogQuery.ALL));

    int first = Integer.parseInt(live.getFirst());
    assertThat(LINES - first).isBetween(64 << 10 >> 6, (int) (BOUND >> 6));
    assertThat(live)
        .containsExactlyElementsOf(IntStream.range(first, LINES).mapToObj(TestLog::line).toList());
    assertThat(ended).isEqualTo(live);
  }

  @Test
  void a_tail_longer_than_what_is_kept_is_all_that_is_kept() throws Exception {
    log.writeLines(0, LINES);

    var all = TestLog.rest(log.open(LogQuery.ALL));

    assertThat(TestLog.rest(log.open(LogQuery.ALL.tailing(3))))
        .isEqualTo(all.subList(all.size() - 3, all.size()));
    assertThat(TestLog.rest(log.open(LogQuery.ALL.tailing(LINES)))).isEqualTo(all);
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL.tailing(LINES)))).isEqualTo(all);
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL.tailing(0)))).isEmpty();
  }

  @Test
  void times_stay_right_and_their_index_small() throws Exception {
    log.writeLines(0, 100_000); // 1000 pairs, one a second: 4 blocks

    try (var reader = log.openEnded(LogQuery.ALL)) {
      for (var line = reader.next(); line.isPresent(); line = reader.next()) {
        int number = Integer.parseInt(TestLog.text(line.get()));
        assertThat(line.get().time())
            .as("time of line %d", number)
            .isEqualTo(TestLog.START.plusSeconds(1 + number / 100));
      }
    }
    var since = log.now.minusSeconds(1);
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL.from(since)))).hasSize(200);
    assertThat(TestLog.allocated(LogIndex.file(log.file))).isLessThanOrEqualTo(2L * LogHole.BLOCK);
  }

  @Test
  void a_follower_that_keeps_up_sees_every_line() throws Exception {
    try (var reader = log.open(LogQuery.ALL.following())) {
      for (int i = 0; i < 5000; i += 100) {
        log.writeLines(i, i + 100);
        for (int j = i; j < i + 100; j++) {
          assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo(TestLog.line(j));
        }
      }
    }
    assertThat(log.live.begin()).isPositive();
  }

  @Test
  void a_follower_knows_what_it_can_have_without_waiting() throws Exception {
    log.write("old\n");
    try (var reader = log.open(LogQuery.ALL.following().from(log.now.plusSeconds(1)))) {
      assertThat(reader.ready()).isFalse();
      log.write("one\ntwo\nthr");

      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("one");
      assertThat(reader.ready()).isTrue();
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("two");
      assertThat(reader.ready()).isFalse();
      log.write("ee\n");
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("three");
    }
  }

  /** A progress bar is one line until it is done, which may take hours. */
  @Test
  void a_follower_sees_a_line_that_is_redrawn_as_it_stands() throws Exception {
    try (var reader = log.open(LogQuery.ALL.following())) {
      log.write("begin\r\n\r 10%\r 2");
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("begin");
      assertThat(reader.next())
          .hasValueSatisfying(piece -> {
            assertThat(TestLog.text(piece)).isEqualTo("\r 10%\r 2");
            assertThat(piece.terminated()).isFalse();
          });
      assertThat(reader.ready()).isFalse();
      log.write("0%\r");
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo("0%");
      log.write("\nend");
      assertThat(reader.next())
          .hasValueSatisfying(piece -> {
            assertThat(piece.bytes()).isEmpty(); // the return that ended the line is left out
            assertThat(piece.terminated()).isTrue();
          });
      log.live.end();
      assertThat(TestLog.rest(reader)).containsExactly("end");
    }
  }

  @Test
  void a_follower_that_was_overtaken_goes_on_with_a_complete_line() throws Exception {
    log.writeLines(0, 10);
    try (var reader = log.open(LogQuery.ALL.following())) {
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo(TestLog.line(0));
      log.write("half a li");
      log.writeLines(10, LINES);

      for (int i = 1; i < 10; i++) { // read ahead before
        assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo(TestLog.line(i));
      }
      var next = reader.next().orElseThrow();

      assertThat(TestLog.text(next)).isEqualTo(TestLog.rest(log.open(LogQuery.ALL)).getFirst());
      assertThat(next.time())
          .isEqualTo(
              TestLog.START.plusSeconds(3 + (Integer.parseInt(TestLog.text(next)) - 10) / 100));
    }
  }

  @Test
  void a_snapshot_that_was_overtaken_ends() throws Exception {
    log.writeLines(0, 3000);
    try (var reader = log.open(LogQuery.ALL)) {
      assertThat(reader.next()).isPresent();
      log.writeLines(3000, LINES);

      var rest = TestLog.rest(reader);

      assertThat(rest).allSatisfy(line -> assertThat(Integer.parseInt(line)).isLessThan(3000));
    }
  }

  @Test
  void zeros_a_program_wrote_are_delivered() throws Exception {
    String zeros = "\0".repeat(3 * LogHole.BLOCK);
    log.writeLines(0, 5000);
    log.write(zeros + "\n\0a\n" + zeros);

    var lines = TestLog.rest(log.open(LogQuery.ALL));

    assertThat(lines.subList(lines.size() - 4, lines.size()))
        .containsExactly(TestLog.line(4999), zeros, "\0a", zeros);
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL))).isEqualTo(lines);
  }

  @Test
  void a_line_longer_than_all_that_is_kept_is_cut() throws Exception {
    log.write("a".repeat(100_000));
    assertThat(log.live.begin()).isEqualTo(32768);
    try (var reader = log.open(LogQuery.ALL)) {
      var line = reader.next().orElseThrow();
      assertThat(TestLog.text(line)).isEqualTo("a".repeat(100_000 - 32768));
      assertThat(line.terminated()).isFalse();
      assertThat(reader.next()).isEmpty();
    }

    log.write("\n");
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL)))
        .containsExactly("a".repeat(100_000 - 32768));

    log.write("short\n");
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL))).containsExactly("short");
  }

  @Test
  void a_line_that_was_lost_after_its_first_pieces_is_closed() throws Exception {
    var wide = new LogRetention(1 << 20, 1 << 16, 5);
    log.live = new LiveLog(log.file, wide, () -> log.now);
    try (var reader = log.open(LogQuery.ALL.following())) {
      log.write("a".repeat(300_000));
      assertThat(reader.next().orElseThrow().terminated()).isFalse();

      log.write("\n");
      log.writeLines(0, LINES);

      var end = reader.next().orElseThrow();
      assertThat(end.bytes()).isEmpty();
      assertThat(end.terminated()).isTrue();
      assertThat(TestLog.text(reader.next().orElseThrow())).hasSize(63);
    }
  }

  @Test
  void a_program_may_empty_its_own_output() throws Exception {
    log.writeLines(0, 5000);
    try (var reader = log.open(LogQuery.ALL.following().tailing(1))) {
      assertThat(TestLog.text(reader.next().orElseThrow())).isEqualTo(TestLog.line(4999));
      Files.write(log.file, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);

      log.write("new\n");

      var line = reader.next().orElseThrow();
      assertThat(TestLog.text(line)).isEqualTo("new");
      log.write("newer\n");
      var newer = reader.next().orElseThrow();
      assertThat(newer.time()).isEqualTo(log.now);
    }
    assertThat(log.live.begin()).isZero();
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL))).containsExactly("new", "newer");
  }

  @Test
  void an_output_emptied_while_nobody_looked_has_no_times_of_its_former_content() throws Exception {
    log.writeLines(0, 5000);
    Files.writeString(log.file, "new\n");

    log.live = log.adopted();
    log.write("newer\n");

    try (var reader = log.openEnded(LogQuery.ALL)) {
      reader.next();
      assertThat(reader.next().orElseThrow().time()).isEqualTo(log.now);
    }
  }

  @Test
  void what_was_written_while_nobody_looked_is_rotated_at_the_first_look() throws Exception {
    log.writeLines(0, 100);
    var lines = new StringBuilder();
    IntStream.range(100, LINES).forEach(i -> lines.append(TestLog.line(i)).append('\n'));
    Files.writeString(log.file, lines, StandardOpenOption.APPEND);

    LiveLog.rotateEnded(log.file, TestLog.SMALL, () -> log.now);

    assertThat(TestLog.allocated(log.file)).isLessThanOrEqualTo(BOUND);
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL)).getLast())
        .isEqualTo(TestLog.line(LINES - 1));
  }

  @Test
  void a_hole_that_a_power_cut_left_half_done_is_finished_at_the_first_look() throws Exception {
    log.live = new LiveLog(log.file, LogRetention.DEFAULT, () -> log.now); // makes none itself
    log.writeLines(0, LINES);
    try (var fd = Linux.open(log.file, Linux.O_WRONLY, 0)) {
      Linux.punchHole(fd, 2L * LogHole.BLOCK, 100L * LogHole.BLOCK);
    }

    LiveLog.rotateEnded(log.file, TestLog.SMALL, () -> log.now);

    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL)))
        .hasSizeGreaterThanOrEqualTo(64 << 10 >> 6)
        .allSatisfy(line -> assertThat(line).matches("\\d{63}"));
  }

  @Test
  void zeros_between_hole_and_data_on_a_disk_with_larger_blocks_are_not_read() throws Exception {
    log.write("x");
    log.writeLines(0, LINES);
    var before = TestLog.rest(log.openEnded(LogQuery.ALL));
    try (var channel = FileChannel.open(log.file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(LogHole.BLOCK), log.live.begin() - LogHole.BLOCK);
    }

    assertThat(LogHole.end(log.file)).isLessThan(log.live.begin());
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL))).isEqualTo(before);
    assertThat(TestLog.rest(log.openEnded(LogQuery.ALL.tailing(LINES)))).isEqualTo(before);
  }

  /** The holes come while the reader reads: what it gets is real, in order, and once. */
  @Test
  void a_reader_beside_a_fast_writer_gets_only_complete_lines_in_order() throws Exception {
    var writer =
        Thread.ofPlatform()
            .start(() -> {
              try {
                var random = new Random(7);
                for (int i = 0; i < 200; i++) {
                  log.writeLines(i * 1000, i * 1000 + 200 + random.nextInt(800));
                }
                log.live.end();
              } catch (java.io.IOException e) {
                throw new AssertionError(e);
              }
            });
    int last = -1;
    try (var reader = log.open(LogQuery.ALL.following())) {
      for (var line = reader.next(); line.isPresent(); line = reader.next()) {
        var text = TestLog.text(line.get());
        assertThat(text).as("after line %d", last).matches("\\d{63}");
        assertThat(Integer.parseInt(text)).isGreaterThan(last);
        last = Integer.parseInt(text);
      }
    }
    writer.join();

    var content = TestLog.rest(log.openEnded(LogQuery.ALL));
    assertThat(TestLog.line(last)).isEqualTo(content.getLast());
    assertThat(log.live.begin()).isGreaterThan(5_000_000);
  }
}
