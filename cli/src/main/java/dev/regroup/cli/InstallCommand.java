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

/** {@code regroup install}: Regroup into a Kubernetes cluster, for people without Helm. */
@Command(
    name = "install",
    description = {
      "Installs Regroup in a Kubernetes cluster and waits until it is ready.",
      "",
      "The same objects as the Helm chart in deploy/chart. A JobSet definition that somebody else"
          + " made stays as it is. Doing it again changes only what differs."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:installed", "1:failed", "2:wrong usage", "4:not ready in time"},
    footer = {
      "  regroup install",
      "  regroup install --dry-run -o yaml > regroup.yaml",
      "  regroup install --image registry.example.com/regroup/controller:v1"
    })
final class InstallCommand implements Callable<Integer> {

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Mixin InstallOptions options = new InstallOptions();

  @Option(names = "--dry-run", description = "Only print what would be applied.")
  boolean dryRun;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "yaml",
      description = "How --dry-run prints (default: yaml).",
      defaultValue = "yaml")
  String output = "yaml";

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = Screen.out(spec);
    PrintWriter err = Screen.err(spec);
    if (!output.equals("yaml")) {
      throw new CliFailure(
          CliFailure.Code.USAGE, "--output: only yaml is known, not \"" + output + "\"", null);
    }
    var settings = options.settings();
    if (dryRun) {
      out.print(Installer.yaml(settings));
      out.flush();
      return 0;
    }
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    try (var transport = access.open()) {
      new Installer(transport, settings, out::println, line -> err.println("regroup: " + line))
          .install();
    }
    return 0;
  }
}
