package dev.regroup.cli;

import dev.regroup.cli.kubeconfig.Caller;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.local.AbandonedRuns;
import dev.regroup.cli.local.DataDirectory;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup up}: a cluster in the foreground, until SIGTERM or Ctrl-C. */
@Command(
    name = "up",
    description = {
      "Runs a local cluster in the foreground, for kubectl and for your browser.",
      "",
      "The link it prints opens a page that shows JobSets as they run.",
      "",
      "Ctrl-C stops the cluster; containers keep running, and the next 'up' finds them again."
          + " 'regroup down' ends them, too, and takes the context out of the kubeconfig."
          + " Needs root."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:stopped", "1:could not start", "2:wrong usage"},
    footer = {
      "  regroup up",
      "  regroup up --port 0 --data-dir /tmp/try --kubeconfig /tmp/try.config",
      "  regroup up --nodes 3 --set podForceFailAfter=30s",
      "  regroup up --gates=upstream"
    })
final class UpCommand implements Callable<Integer> {

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = {"Where objects and pods are kept", "(default: ~/.local/state/regroup)."})
  @Nullable Path dataDirectory;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port of the API server on 127.0.0.1; 0 takes a free one (default: 6443).",
      defaultValue = "6443")
  int port = 6443;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Where context 'regroup' is merged in (default: what kubectl uses).")
  @Nullable Path kubeconfig;

  @Mixin GateOptions gates = new GateOptions();

  @Mixin DecodingOption decoding = new DecodingOption();

  @Mixin NodesOption nodes = new NodesOption();

  @Mixin SwitchOptions switches = new SwitchOptions();

  @Mixin JobSetOption jobSet = new JobSetOption();

  @Mixin PageOptions page = new PageOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    PrintWriter err = Screen.err(spec);
    PageOptions.checkPort(port, "--port");
    var chosen = decoding.apply(gates.gates(err));
    boolean shown = page.isOn();
    var directory = DataDirectory.of(dataDirectory);
    var config = KubeConfigs.chosen(kubeconfig);
    AbandonedRuns.remove(err);
    var stop = new CountDownLatch(1);
    var stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stop.countDown();
                  awaitQuietly(stopped); // the process must not end before the parts have
                },
                "shutdown"));
    config.makeFolder(); // where nothing is yet, nothing can be hidden
    var secrets = config.secrets(System.getenv(), Caller.get().home());
    try (var cluster =
            LocalCluster.start(
                new LocalCluster.Settings(directory, port, chosen, switches.switches(), secrets)
                    .with(jobSet.chosen())
                    .with(nodes.count()));
        var live = shown ? page.open(cluster.adminTransport(), chosen) : null) {
      config.merge(cluster.address(), cluster.admin());
      err.println("regroup: " + LocalCluster.isolation());
      cluster.takenAway().forEach(line -> err.println("regroup: " + line));
      Screen.out(spec)
          .println(
              "regroup is ready at %s; context 'regroup' is in %s"
                  .formatted(cluster.address(), config.path()));
      if (live != null) {
        Screen.out(spec).println("page: " + live.link());
      }
      stop.await();
      err.println(cluster.goodbye());
    } finally {
      stopped.countDown();
    }
    return 0;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
