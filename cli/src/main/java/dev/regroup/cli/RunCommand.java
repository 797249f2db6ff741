package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.cli.check.ClosedWorld;
import dev.regroup.cli.check.Defaulted;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.LocalCheck;
import dev.regroup.cli.check.ObjectCheck;
import dev.regroup.cli.kubeconfig.Caller;
import dev.regroup.cli.kubeconfig.KubeConfigFile;
import dev.regroup.cli.local.AbandonedRuns;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.local.RunDirectory;
import dev.regroup.cli.manifest.Applier;
import dev.regroup.cli.manifest.FindingReport;
import dev.regroup.cli.manifest.ManifestFiles;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.cli.run.RunProgress;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Logging;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup run}: a private cluster for some manifests, gone when they have ended. */
@Command(
    name = "run",
    description = {
      "Runs manifests on a cluster of their own, shows it, and cleans up.",
      "",
      "The run is over when every JobSet, Job and Pod of the files has ended. Logs go to"
          + " standard output, everything else to standard error. Control characters of"
          + " containers are made visible. Ctrl-C stops the workers with their grace and cleans"
          + " up, too; a second one does it at once. Needs root."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:every workload succeeded",
      "1:one failed, or a manifest was refused",
      "2:wrong usage",
      "4:not over within --timeout",
      "130:interrupted"
    },
    footer = {
      "  regroup run examples/training.yaml",
      "  regroup run --timeout=10m examples/training.yaml",
      "  regroup run --feature-gates=InPlaceRestart=false job.yaml",
      "  regroup run - < job.yaml"
    })
final class RunCommand implements Callable<Integer> {

  private static final int SUCCEEDED = 0;
  private static final int INTERRUPTED = 130; // as a shell has it for SIGINT

  @Mixin ManifestFiles files = new ManifestFiles();

  @Mixin GateOptions gates = new GateOptions();

  @Mixin DecodingOption decoding = new DecodingOption();

  @Mixin SwitchOptions switches = new SwitchOptions();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "End the run with 4 when it is not over after this time, such as 90s or 10m. Says what"
              + " it waited for (default: no limit).")
  @Nullable Duration timeout;

  @Option(
      names = {"-v", "--verbose"},
      description = "Show the log of the parts, too.")
  boolean verbose;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    PrintWriter err = Screen.err(spec);
    var chosen = decoding.apply(gates.gates(err));
    var set = switches.switches();
    var manifests = files.read();
    if (refused(manifests, chosen, err)) {
      return 1;
    }
    err.println("regroup: " + LocalCluster.isolation()); // at once: the rest takes a moment
    AbandonedRuns.remove(err);
    var signals = InterruptSignals.interrupting(Thread.currentThread());
    try (var directory = RunDirectory.make()) {
      log(directory);
      var secrets =
          new KubeConfigFile(directory.kubeconfig()).secrets(System.getenv(), Caller.get().home());
      var settings = new LocalCluster.Settings(directory.data(), 0, chosen, set, secrets);
      try (var cluster = LocalCluster.start(settings)) {
        try {
          return run(cluster, directory, manifests, err);
        } finally {
          signals.ignore();
          cluster.endEverything();
        }
      } catch (InterruptedException e) {
        signals.ignore();
        err.println("regroup: interrupted"); // before there was anything to run
        return INTERRUPTED;
      } finally {
        tellErrors(err);
      }
    }
  }

  /** The screen belongs to the run; what the parts note is for those who look for it. */
  private void log(RunDirectory directory) {
    boolean debug = spec != null && spec.root().userObject() instanceof Main main && main.debug;
    if (verbose) {
      Logging.verbose();
    } else if (!debug) {
      Logging.toFile(directory.log());
    }
  }

  private static void tellErrors(PrintWriter err) {
    Logging.firstError()
        .ifPresent(first ->
            err.println(
                "regroup: %d internal errors were logged (run again with -v to see them): %s"
                    .formatted(Logging.errors(), first)));
  }

  /** What the server would refuse is said before anything starts, with the place in the file. */
  private static boolean refused(List<Manifests.Manifest> manifests, Gates gates, PrintWriter err) {
    var world = new ClosedWorld(manifests.stream().map(Manifests.Manifest::object).toList());
    var check = new LocalCheck(new ObjectCheck(gates, gates.decoding()), world);
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
    try (var follower = new RunFollower(transport, Screen.logs(spec), err, cluster.random())) {
      var objects = new Applier(transport, warning -> warn(warning, err)).create(manifests);
      objects.forEach(object -> tellDefaults(object, err));
      int code = SUCCEEDED;
      String ended = "succeeded in";
      List<String> why = List.of();
      try {
        var result = follower.follow(objects, Optional.ofNullable(timeout));
        if (result.isEmpty()) {
          code = CliFailure.Code.TIMED_OUT.number();
          ended = "timed out after";
          why = follower.waitingFor();
          stop(follower, objects, err);
        } else if (result.get() == RunProgress.Result.FAILED) {
          code = CliFailure.Code.FAILED.number();
          ended = "failed in";
          why = follower.culprits();
        }
      } catch (InterruptedException e) {
        code = INTERRUPTED;
        ended = "interrupted after";
        stop(follower, objects, err);
      }
      err.println(follower.summary(ended, why));
      return code;
    }
  }

  /** With their grace, unless somebody is in more of a hurry. */
  private static void stop(RunFollower follower, List<JsonNode> objects, PrintWriter err) {
    try {
      follower.stop(objects);
    } catch (InterruptedException e) {
      err.println("regroup: ending everything at once");
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
}
