package dev.regroup.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is in a file, the answer is a message with a place, soon, and no stack trace. */
class BadManifestsTest {

  private static final String POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
  private static final String TOP = POD + "spec:\n  containers:\n  - name: c\n    image: i\n";

  @TempDir Path directory;

  @BeforeAll
  static void read_the_schema_once() throws IOException {
    CommandRun.of("check", "../examples/training.yaml"); // class loading is not what is measured
  }

  static List<Arguments> texts() {
    var bomb = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 10; i++) {
      bomb.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(10)));
    }
    return List.of(
        text("cut off", TOP + "    command: [sh, -c", "m.yaml:8:"),
        text("text where a list belongs", POD + "spec:\n  containers: none\n", "m.yaml:5:3: "),
        text("list where a map belongs", POD + "spec: []\n", "m.yaml:4:1: "),
        text("number as metadata", "apiVersion: v1\nkind: Pod\nmetadata: 5\n", "m.yaml:3:1: "),
        text("number as kind", "apiVersion: v1\nkind: 5\n", "m.yaml:2:1: "),
        text(
            "huge number",
            TOP + "  activeDeadlineSeconds: 99999999999999999999999999\n",
            "m.yaml:8:3: "),
        text("number that is no integer", TOP + "  terminationGracePeriodSeconds: 1.5\n", "8:3: "),
        text("number of a million digits", TOP + "  x: " + "9".repeat(1_000_000) + "\n", "8:3: "),
        text("duplicate key", TOP + "    image: j\n", "m.yaml:8:5: "),
        text("tower of lists", "a: " + "[".repeat(10_000_000), "m.yaml:1:"),
        text("tabs", "apiVersion: v1\nkind:\n\t- Pod\n", "m.yaml:3:1: "),
        text("bomb of anchors", bomb.toString(), "m.yaml:4:"),
        text("text", "hello\n", "m.yaml:1:1: "),
        text("nothing", "# nothing\n", "m.yaml"),
        text("no kind", "apiVersion: v1\n", "m.yaml:1:1: error: kind: Required value"),
        text("unknown kind", "apiVersion: v1\nkind: Pot\nmetadata: {name: p}\n", "m.yaml:2:1: "),
        text("second document", TOP + "---\napiVersion: v1\nkind: Pod\nspec: {x: 1}\n", "11:8: "),
        text("control characters", POD + "spec: \u0000\n", "m.yaml:4:"),
        text("JSON cut off", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\",", "m.yaml:1:"));
  }

  private static Arguments text(String name, String text, String place) {
    return Arguments.of(name, text, place);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("texts")
  void a_bad_text_gives_a_message_with_its_place(String name, String text, String place)
      throws IOException {
    Duration begun = cpuTime();
    var run = CommandRun.on(directory, text, "check");
    Duration spent = cpuTime().minus(begun);

    assertThat(run.code()).as(name).isEqualTo(1);
    assertThat(run.out() + run.err()).contains(place);
    assertNoStackTrace(run);
    assertThat(spent)
        .as("time spent, whatever else this machine does")
        .isLessThan(Duration.ofSeconds(1));
  }

  static Stream<String> commands() {
    return Stream.of("check", "explain", "convert");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void what_is_not_a_readable_file_is_named(String command) throws IOException {
    Path latin = directory.resolve("latin.yaml");
    Files.write(latin, new byte[] {'a', ':', ' ', '\n', (byte) 0xe4, '\n'});

    var missing = CommandRun.of(command, directory.resolve("missing.yaml").toString());
    var folder = CommandRun.of(command, directory.toString());
    var encoded = CommandRun.of(command, latin.toString());

    for (CommandRun run : List.of(missing, folder, encoded)) {
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err().lines()).hasSize(1);
      assertNoStackTrace(run);
    }
    assertThat(missing.err()).contains("missing.yaml: cannot be read: no such file or directory");
    assertThat(folder.err()).contains("is a directory");
    assertThat(encoded.err()).contains("latin.yaml:2:1: is not UTF-8");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void every_command_refuses_a_bad_manifest(String command) throws IOException {
    var run = CommandRun.on(directory, TOP + "    imagePolicy: Never\n", command);

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out() + run.err())
        .contains("m.yaml:8:5: error: spec.containers[0].imagePolicy: unknown field");
    assertNoStackTrace(run);
  }

  private static void assertNoStackTrace(CommandRun run) {
    assertThat(run.out() + run.err())
        .doesNotContain("Exception")
        .doesNotContain("\tat ")
        .doesNotContain("internal error");
    assertThat((run.out() + run.err()).getBytes(UTF_8).length).isLessThan(5_000);
  }

  private static Duration cpuTime() {
    return Duration.ofNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
  }
}
