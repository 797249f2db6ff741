package dev.regroup.cli;

import dev.regroup.cli.chaos.ChaosCommand;
import dev.regroup.cli.compare.CompareCommand;
import dev.regroup.cli.everyday.ApplyCommand;
import dev.regroup.cli.everyday.CompletionCommand;
import dev.regroup.cli.everyday.DeleteCommand;
import dev.regroup.cli.everyday.DescribeCommand;
import dev.regroup.cli.everyday.EventsCommand;
import dev.regroup.cli.everyday.ExecCommand;
import dev.regroup.cli.everyday.GetCommand;
import dev.regroup.cli.everyday.LogsCommand;
import dev.regroup.cli.everyday.WaitCommand;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Logging;
import dev.regroup.cli.screen.ProgramVersion;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The program {@code regroup}: finds the command, runs it, turns failures into one line. */
@Command(
    name = "regroup",
    description = {
      "Restarts groups of Kubernetes workers where they stand.",
      "",
      "When one worker of a training job dies, all go back to the last checkpoint in the pods"
          + " they are in. 'regroup COMMAND --help' says more about a command."
    },
    subcommands = {
      RunCommand.class,
      WatchCommand.class,
      TimelineCommand.class,
      UiCommand.class,
      ChaosCommand.class,
      CompareCommand.class,
      UpCommand.class,
      DownCommand.class,
      NodeCommand.class,
      CheckCommand.class,
      ExplainCommand.class,
      ConvertCommand.class,
      GatesCommand.class,
      ImageCommand.class,
      RestartCommand.class,
      StatusCommand.class,
      InstallCommand.class,
      UninstallCommand.class,
      ControllerCommand.class,
      DoctorCommand.class,
      ApplyCommand.class,
      GetCommand.class,
      DescribeCommand.class,
      LogsCommand.class,
      DeleteCommand.class,
      WaitCommand.class,
      EventsCommand.class,
      ExecCommand.class,
      CompletionCommand.class,
      TrainCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:not found", "4:timed out"},
    footer = {
      "  sudo regroup run examples/training.yaml   # watch a group restart in place",
      "  sudo regroup up                           # a cluster for kubectl",
      "  regroup explain examples/training.yaml    # what happens on which exit code"
    })
public final class Main implements Runnable {

  private static final int HELP_WIDTH = 80;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces and the log of every part.")
  boolean debug;

  @CommandLine.Spec CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs one command line and returns its exit code. */
  static int run(String... args) {
    Logging.quiet(); // before the first logger is made; --debug turns it up again
    return commandLine().execute(args);
  }

  /** All commands, with failures turned into one line. */
  static CommandLine commandLine() {
    var main = new Main();
    var line = new CommandLine(main);
    line.setUsageHelpWidth(HELP_WIDTH);
    shape(line);
    line.setParameterExceptionHandler((failure, _) -> wrongUsage(failure));
    line.setExecutionExceptionHandler(
        (failure, _, _) -> main.report(Screen.safe(line.getErr()), failure));
    line.setExecutionStrategy(parsed -> {
      if (main.debug) {
        Logging.verbose();
      }
      return new CommandLine.RunLast().execute(parsed);
    });
    return line;
  }

  /** One shape of help for all commands: what, options, exit codes, examples. */
  private static void shape(CommandLine line) {
    line.getCommandSpec()
        .usageMessage()
        .abbreviateSynopsis(true)
        .descriptionHeading("%n")
        .parameterListHeading("%n")
        .optionListHeading("%nOptions:%n")
        .commandListHeading("%nCommands:%n")
        .exitCodeListHeading("%nExit codes:%n")
        .footerHeading("%nExamples:%n");
    line.getSubcommands().values().forEach(Main::shape);
  }

  @Override
  public void run() {
    if (spec != null) {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }

  /** One line and where to read on: nobody finds what is wrong in a page of help. */
  private static int wrongUsage(CommandLine.ParameterException failure) {
    var command = failure.getCommandLine().getCommandSpec();
    String problem =
        failure instanceof CommandLine.UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()
                && !command.subcommands().isEmpty()
            ? "unknown command \"" + unmatched.getUnmatched().getFirst() + "\""
            : String.valueOf(failure.getMessage());
    var err = Screen.safe(failure.getCommandLine().getErr());
    err.println("regroup: %s (see %s --help)".formatted(problem, command.qualifiedName()));
    err.flush();
    return CliFailure.Code.USAGE.number();
  }

  private int report(PrintWriter err, Exception failure) {
    boolean ours = failure instanceof CliFailure;
    err.println("regroup: " + (ours ? failure.getMessage() : "internal error: " + failure));
    if (debug) {
      failure.printStackTrace(err);
    } else if (!ours) {
      err.println("regroup: please report this (run again with --debug for the details)");
    }
    err.flush();
    return failure instanceof CliFailure known ? known.code().number() : 1;
  }
}
