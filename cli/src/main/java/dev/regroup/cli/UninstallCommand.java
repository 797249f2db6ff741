package dev.regroup.cli;

import dev.regroup.cli.deploy.Installer;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup uninstall}: takes out of a cluster what {@code install} put in. */
@Command(
    name = "uninstall",
    description = {
      "Removes Regroup from a Kubernetes cluster.",
      "",
      "JobSets, their pods and the JobSet definition stay, unless --purge --yes says otherwise."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:removed", "1:failed", "2:wrong usage"},
    footer = {"  regroup uninstall", "  regroup uninstall --purge --yes"})
final class UninstallCommand implements Callable<Integer> {

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Mixin InstallOptions options = new InstallOptions();

  @Option(
      names = "--purge",
      description = "Remove the JobSet definition, too, and with it every JobSet and its pods.")
  boolean purge;

  @Option(names = "--yes", description = "Do not ask whether --purge is meant.")
  boolean yes;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    if (purge && !yes) {
      throw new CliFailure(
          CliFailure.Code.USAGE,
          "--purge removes every JobSet of the cluster (say --yes as well if that is meant)",
          null);
    }
    PrintWriter out = Screen.out(spec);
    PrintWriter err = Screen.err(spec);
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    try (var transport = access.open()) {
      new Installer(
              transport, options.settings(), out::println, line -> err.println("regroup: " + line))
          .uninstall(purge);
    }
    return 0;
  }
}
