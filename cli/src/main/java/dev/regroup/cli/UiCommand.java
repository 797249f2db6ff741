package dev.regroup.cli;

import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.cli.ui.LivePage;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup ui}: the page of {@code up}, for any cluster. */
@Command(
    name = "ui",
    description = {
      "Serves a page that shows the JobSets of a cluster as they run, until Ctrl-C.",
      "",
      "It prints a link for a browser on this machine. Whoever has the link sees and does there"
          + " what your kubeconfig allows. ('regroup up' serves the same page itself.)"
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:you left", "1:failed", "2:wrong usage", "3:no such context"},
    footer = {
      "  regroup ui",
      "  regroup ui --kubeconfig ~/.kube/team-a --context gpu --port 7070",
      "  regroup ui -n team-a"
    })
final class UiCommand implements Callable<Integer> {

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Only JobSets of this namespace (default: all).")
  @Nullable String namespace;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port of the page on 127.0.0.1; 0 takes a free one (default: 0).",
      defaultValue = "0")
  int port;

  @Mixin GateOptions gates = new GateOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure {
    var err = Screen.err(spec);
    var settings =
        new LivePage.Settings(
            port, namespace == null ? ListQuery.ALL : ListQuery.in(namespace), gates.gates(err));
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    try (var transport = access.open()) {
      new ApiClient(transport).list(Kinds.JOB_SETS, settings.where().withLimit(1));
      InterruptSignals.interrupting(Thread.currentThread());
      try (var page = PageOptions.open(transport, settings, "--port")) {
        Screen.out(spec).println("page: " + page.link());
        err.println("regroup: shows " + access.server() + " until Ctrl-C");
        new CountDownLatch(1).await(); // until a signal interrupts
      }
    } catch (ApiFailure e) {
      throw ConnectionOptions.refusal(e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    } catch (InterruptedException e) {
      return 0; // somebody leaves
    }
    return 0;
  }
}
