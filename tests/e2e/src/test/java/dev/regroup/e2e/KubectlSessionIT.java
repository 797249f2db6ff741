package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A long session with the real kubectl, written down with what it must print: {@code
 * kubectl/session.txt} says how to read it. Every verb and every subresource occurs; what the
 * product does not serve is refused in words that say so.
 */
class KubectlSessionIT {

  private static final int LEAST = 150; // commands

  @TempDir Path folder;

  /**
   * One line of the session.
   *
   * @param line what a shell is given
   * @param code with which it ends
   * @param expected regular expressions that its output, both streams, must contain
   * @param forbidden those that it must not contain
   */
  private record Command(
      int number, String line, int code, List<String> expected, List<String> forbidden) {}

  @Test
  void prints_what_it_prints_with_kubernetes() throws Exception {
    Root.require();
    Kubectl.require();
    var commands = read("session.txt");
    assertThat(commands).hasSizeGreaterThanOrEqualTo(LEAST);
    try (var cluster = Cluster.up(folder)) {
      var wrong = new ArrayList<String>();
      for (var command : commands) {
        play(cluster, command, wrong);
      }

      assertThat(wrong).isEmpty();
    }
  }

  private void play(Cluster cluster, Command command, List<String> wrong) throws Exception {
    var kubectl = new Kubectl(cluster.kubeconfig(), folder);
    String shell = "cd '%s'; exec 2>&1 </dev/null; kubectl() { command KUBECTL \"$@\"; }; %s";
    try (var run = kubectl.shell(shell.formatted(folder, command.line()))) {
      int code = ended(run);
      String output = run.output();
      var problems = new ArrayList<String>();
      if (code != command.code()) {
        problems.add("exit code " + code + " instead of " + command.code());
      }
      command.expected().stream()
          .filter(expected -> !Pattern.compile(expected, Pattern.MULTILINE).matcher(output).find())
          .forEach(expected -> problems.add("no " + expected));
      command.forbidden().stream()
          .filter(not -> Pattern.compile(not, Pattern.MULTILINE).matcher(output).find())
          .forEach(not -> problems.add("there is " + not));
      if (!problems.isEmpty()) {
        wrong.add(
            "line %d: %s%n%s%n%s"
                .formatted(command.number(), command.line(), String.join("\n", problems), output));
      }
    }
  }

  /** How it ended; what does not end is wrong, too, and the others go on. */
  private static int ended(Program run) throws InterruptedException {
    try {
      return run.awaitExit(LIMIT);
    } catch (AssertionError e) {
      return -1; // it still runs
    }
  }

  /** Reads the commands and writes the files of the session where they find them. */
  private List<Command> read(String name) throws Exception {
    var commands = new ArrayList<Command>();
    List<String> text;
    try (var file =
        Objects.requireNonNull(getClass().getResourceAsStream("/kubectl/" + name), name)) {
      text = new String(file.readAllBytes(), UTF_8).lines().toList();
    }
    int number = 0;
    for (var lines = text.iterator(); lines.hasNext(); ) {
      String line = lines.next();
      number++;
      String rest = line.length() > 2 ? line.substring(2) : "";
      switch (line.isEmpty() ? '#' : line.charAt(0)) {
        case '#' -> {} // a remark
        case '<' -> number += write(rest, lines);
        case '$' ->
            commands.add(new Command(number, rest, 0, new ArrayList<>(), new ArrayList<>()));
        case '~' -> commands.getLast().expected().add(rest);
        case '!' -> commands.getLast().forbidden().add(rest);
        case '=' -> {
          var last = commands.removeLast();
          commands.add(
              new Command(
                  last.number(),
                  last.line(),
                  Integer.parseInt(rest),
                  last.expected(),
                  last.forbidden()));
        }
        default -> throw new AssertionError("line " + number + " says nothing: " + line);
      }
    }
    return commands;
  }

  /** Writes the lines up to {@code >} and returns how many it took. */
  private int write(String name, Iterator<String> lines) throws Exception {
    var content = new ArrayList<String>();
    for (String line = lines.next(); !line.equals(">"); line = lines.next()) {
      content.add(line);
    }
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return content.size() + 1;
  }
}
