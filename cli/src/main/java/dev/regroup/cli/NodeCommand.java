package dev.regroup.cli;

import dev.regroup.cli.local.DataDirectory;
import dev.regroup.cli.local.NodeSwitch;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup node}: loses a node of a running cluster, and brings it back. */
@Command(
    name = "node",
    description = {
      "Stops, kills and starts single nodes of a cluster that 'up' runs.",
      "",
      "To see what happens when a machine is lost. All nodes are started again with the next"
          + " 'up'. Needs root."
    },
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "stop|kill|start NAME",
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:no such node or no cluster"},
    footer = {"  regroup node kill $(hostname)-2", "  regroup node start $(hostname)-2"})
final class NodeCommand implements Runnable {

  @Option(
      names = "--data-dir",
      scope = CommandLine.ScopeType.INHERIT,
      paramLabel = "DIR",
      description = {"The cluster's directory", "(default: ~/.local/state/regroup)."})
  @Nullable Path dataDirectory;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }

  @Command(
      name = "stop",
      description = "Stops a node; its containers run on, as behind a cut network.",
      mixinStandardHelpOptions = true)
  int stop(@Parameters(paramLabel = "NAME", description = "The node.") String name)
      throws CliFailure {
    return act(NodeSwitch.Act.STOP, name);
  }

  @Command(
      name = "kill",
      description = "Kills a node and all it runs, as a power cut does.",
      mixinStandardHelpOptions = true)
  int kill(@Parameters(paramLabel = "NAME", description = "The node.") String name)
      throws CliFailure {
    return act(NodeSwitch.Act.KILL, name);
  }

  @Command(
      name = "start",
      description = "Starts a node that was stopped or killed.",
      mixinStandardHelpOptions = true)
  int start(@Parameters(paramLabel = "NAME", description = "The node.") String name)
      throws CliFailure {
    return act(NodeSwitch.Act.START, name);
  }

  private int act(NodeSwitch.Act act, String name) throws CliFailure {
    Screen.out(spec).println(NodeSwitch.ask(DataDirectory.of(dataDirectory), act, name));
    return 0;
  }
}
