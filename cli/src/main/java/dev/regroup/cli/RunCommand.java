package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.cli.check.Defaulted;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.LocalCheck;
import dev.regroup.cli.check.ObjectCheck;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code regroup run}: a private cluster for some manifests, gone when they have ended. */
@Command(
    name = "run",
    description = {
      "Runs manifests on a cluster of their own, shows it, and cleans up.",
      "",
      "The run is over when every JobSet, Job and Pod of the files has ended. Logs go to"
          + " standard output, everything else to standard error. Ctrl-C ends it early and"
          + " cleans up, too. Needs root."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:every workload succeeded",
      "1:one failed, or a manifest was refused",
      "2:wrong usage",
      "130:interrupted"
    },
    footer = {
      "  regroup run examples/training.yaml",
      "  regroup run --feature-gates=InPlaceRestart=false job.yaml",
      "  regroup run - < job.yaml"
    })
final class RunCommand implements Callable<Integer> {

  @Mixin ManifestFiles files = new ManifestFiles();

  @Mixin GateOptions gates = new GateOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    PrintWriter err = Screen.err(spec);
    var chosen = gates.gates(err);
    var manifests = files.read();
    if (refused(manifests, chosen, err)) {
      return 1;
    }
    err.println("regroup: " + LocalCluster.isolation()); // at once: the rest takes a moment
    AbandonedRuns.remove(err);
    var directory = RunDirectory.make();
    var ended = new CountDownLatch(1);
    var main = Thread.currentThread();
    var interruption =
        new Thread(
            () -> {
              if (ended.getCount() > 0) {
                err.println("regroup: interrupted, cleaning up");
              }
              main.interrupt(); // Ctrl-C: clean up as after any other end
              await(ended);
            },
            "shutdown");
    Runtime.getRuntime().addShutdownHook(interruption);
    var secrets =
        new KubeConfigFile(directory.kubeconfig()).secrets(System.getenv(), Caller.get().home());
    try (directory;
        var cluster =
            LocalCluster.start(new LocalCluster.Settings(directory.data(), 0, chosen, secrets))) {
      try {
        return run(cluster, directory, manifests, err);
      } finally {
        var _ = Thread.interrupted(); // what follows must not be cut short
        cluster.endEverything();
      }
    } catch (InterruptedException e) {
      return 130;
    } finally {
      ended.countDown();
    }
  }

  /** What the server would refuse is said before anything starts, with the place in the file. */
  private static boolean refused(List<Manifests.Manifest> manifests, Gates gates, PrintWriter err) {
    var check = new LocalCheck(new ObjectCheck(gates, gates.decoding()));
    boolean refused = false;
    for (var manifest : manifests) {
      var errors =
          check.check(manifest.object()).findings().stream().filter(Finding::isError).toList();
      FindingReport.lines(manifest, errors).forEach(err::println);
      refused |= !errors.isEmpty();
    }
    check.served().ifPresent(served -> err.println("regroup: " + served));
    if (refused) {
      err.println("regroup: nothing was started");
    }
    return refused;
  }

  private int run(
      LocalCluster cluster,
      RunDirectory directory,
      List<Manifests.Manifest> manifests,
      PrintWriter err)
      throws CliFailure, InterruptedException {
    var config = new KubeConfigFile(directory.kubeconfig());
    config.merge(cluster.address(), cluster.admin());
    err.println("regroup: to look inside, in another terminal:");
    err.println( // a line of its own: it is there to be copied
        "  %skubectl --kubeconfig %s get pods"
            .formatted(Caller.get().usesSudo() ? "sudo " : "", config.path()));
    var transport = cluster.adminTransport();
    try (var follower = new RunFollower(transport, Screen.out(spec), err, cluster.random())) {
      var objects = new Applier(transport, warning -> warn(warning, err)).create(manifests);
      objects.forEach(object -> tellDefaults(object, err));
      var result = follower.follow(objects);
      err.println(
          RunSummary.text(follower.elapsed(), result, cluster.restarts(), follower.podNames()));
      return result == RunProgress.Result.SUCCEEDED ? 0 : 1;
    }
  }

  private static void warn(String warning, PrintWriter err) {
    if (!warning.startsWith(JobSetAdmission.FILLED_IN)) { // no danger, see tellDefaults
      err.println("regroup: warning: " + warning);
    }
  }

  private static void tellDefaults(JsonNode object, PrintWriter err) {
    Defaulted.fields(object)
        .ifPresent(fields ->
            err.println(
                "regroup: filled in for %s: %s".formatted(RunProgress.title(object), fields)));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
