package dev.regroup.cli;

import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.local.AbandonedRuns;
import dev.regroup.cli.local.DataDirectory;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.local.RunningProgram;
import dev.regroup.cli.screen.Screen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code regroup down}: ends a cluster that {@code up} started, and its containers. */
@Command(
    name = "down",
    description = {
      "Stops the local cluster and its containers; takes the context out.",
      "",
      "Its objects stay on disk for the next 'up'; delete the directory to forget them. Also"
          + " takes away what a killed 'run' left. Needs root."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:nothing runs any more", "1:something could not be ended", "2:wrong usage"},
    footer = {"  regroup down", "  regroup down --data-dir /tmp/try --kubeconfig /tmp/try.config"})
final class DownCommand implements Callable<Integer> {

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = {"The cluster's directory", "(default: ~/.local/state/regroup)."})
  @Nullable Path dataDirectory;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Where context 'regroup' was merged in (default: what kubectl uses).")
  @Nullable Path kubeconfig;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    var directory = DataDirectory.of(dataDirectory);
    var out = Screen.out(spec);
    boolean isThere = Files.isDirectory(directory);
    if (isThere || dataDirectory == null) { // else the context is another cluster's
      KubeConfigs.chosen(kubeconfig).remove();
    }
    AbandonedRuns.remove(Screen.err(spec));
    if (!isThere) {
      out.println("no cluster in " + directory);
      return 0;
    }
    RunningProgram.of(directory).stop();
    LocalCluster.endEverything(directory);
    out.println(
        "regroup is down; its objects stay in %s (delete it to forget them)".formatted(directory));
    return 0;
  }
}
