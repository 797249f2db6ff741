package dev.regroup.cli.everyday;

import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.Transport;
import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup exec}: a command inside a container. */
@Command(
    name = "exec",
    description = {
      "Runs a command in a container and ends with its exit code.",
      "",
      "What it writes comes as it is, control characters and all: it is your command."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:the command ended with 0; else its exit code",
      "1:failed",
      "2:wrong usage",
      "3:no such pod"
    },
    footer = {
      "  regroup exec training-worker-0-0-x7k2p -- ps",
      "  regroup exec -it training-worker-0-0-x7k2p -c worker -- bash",
      "  regroup exec -i pod/x -- tar x < files.tar"
    })
public final class ExecCommand implements Callable<Integer> {

  private static final File TTY = new File("/dev/tty");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,5}) (\\d{1,5})"); // rows, columns

  @Parameters(index = "0", paramLabel = "POD", description = "Where.")
  String pod = "";

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "Behind --.")
  List<String> command = List.of();

  @Option(
      names = {"-c", "--container"},
      paramLabel = "NAME",
      description = "In this container (default: the first).")
  String container = "";

  @Option(
      names = {"-i", "--stdin"},
      description = "Give it standard input.")
  boolean stdin;

  @Option(
      names = {"-t", "--tty"},
      description = "Give it a terminal.")
  boolean tty;

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    return options.with(this::run);
  }

  private int run(Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var target = Target.of(pod.contains("/") ? pod : "pod/" + pod, session.namespace());
    if (target.kind() != Target.Kind.POD) {
      throw new CliFailure(CliFailure.Code.USAGE, "\"%s\" is no pod".formatted(pod), null);
    }
    var found =
        new ApiClient(session.transport())
            .get(Kinds.PODS, target.key())
            .orElseThrow(() ->
                new CliFailure(
                    CliFailure.Code.NOT_FOUND,
                    "pods \"%s\" not found".formatted(target.key().name()),
                    null));
    String chosen =
        container.isEmpty()
            ? Trees.text(Trees.objects(found, "spec", "containers").getFirst(), "name")
            : container;
    boolean terminal =
        tty && Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    String before = terminal ? stty("-g") : "";
    try {
      if (terminal) {
        var _ = stty("raw", "-echo");
      }
      return new ExecClient(session.transport())
          .run(
              new ExecClient.Call(
                  target.key(),
                  chosen,
                  words(),
                  tty ? new OwnTerminal() : null,
                  stdin ? System.in : null,
                  System.out,
                  System.err));
    } finally {
      if (!before.isEmpty()) {
        var _ = stty(before);
      }
    }
  }

  /** Without the dashes that a person may have written twice. */
  private List<String> words() {
    return command.getFirst().equals("--") ? command.subList(1, command.size()) : command;
  }

  /** The one the user sits at; of the usual size without any. */
  private static final class OwnTerminal implements ExecClient.Windows {

    @Override
    public ExecClient.Window now() throws InterruptedException {
      var size = SIZE.matcher(stty("size"));
      return size.matches()
          ? new ExecClient.Window(Integer.parseInt(size.group(2)), Integer.parseInt(size.group(1)))
          : new ExecClient.Window(80, 24);
    }

    @Override
    public void follow(Consumer<ExecClient.Window> changed) {
      InterruptSignals.on(
          "WINCH",
          () -> {
            try {
              changed.accept(now());
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
  }

  /** Sets the terminal; returns what it says. Without the program the terminal stays as it is. */
  private static String stty(String... arguments) throws InterruptedException {
    var line = new ArrayList<>(List.of("stty"));
    line.addAll(List.of(arguments));
    try {
      var process = new ProcessBuilder(line).redirectInput(TTY).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return said.strip();
    } catch (IOException e) {
      return "";
    }
  }
}
