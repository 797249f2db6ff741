package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.cli.chaos.ChaosOption;
import dev.regroup.cli.chaos.ChaosPlan;
import dev.regroup.cli.chaos.HarmRoads;
import dev.regroup.cli.chaos.RunChaos;
import dev.regroup.cli.check.Defaulted;
import dev.regroup.cli.kubeconfig.Caller;
import dev.regroup.cli.kubeconfig.KubeConfigFile;
import dev.regroup.cli.live.LiveScreen;
import dev.regroup.cli.local.AbandonedRuns;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.local.RunDirectory;
import dev.regroup.cli.manifest.Applier;
import dev.regroup.cli.manifest.LocalRefusal;
import dev.regroup.cli.manifest.ManifestFiles;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.report.ReportFolder;
import dev.regroup.cli.report.ReportText;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.run.LogFiles;
import dev.regroup.cli.run.PlainScreen;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.cli.run.RunProgress;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Logging;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
      "  regroup run --report=out --keep job.yaml",
      "  regroup run --chaos 'kill worker 2 after 5s' job.yaml",
      "  regroup run - < job.yaml"
    })
final class RunCommand implements Callable<Integer> {

  private static final Set<String> WORKLOADS = Set.of("JobSet", "Job", "Pod");
  private static final int SUCCEEDED = 0;
  private static final int INTERRUPTED = 130; // as a shell has it for SIGINT

  @Mixin ManifestFiles files = new ManifestFiles();

  @Mixin GateOptions gates = new GateOptions();

  @Mixin DecodingOption decoding = new DecodingOption();

  @Mixin NodesOption nodes = new NodesOption();

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
      names = "--report",
      paramLabel = "DIR",
      description =
          "Write report.json and report.html into this folder (default: a new one in"
              + " ~/.local/state/regroup/reports, which keeps the newest 20).")
  @Nullable Path report;

  @Mixin ChaosOption chaos = new ChaosOption();

  @Option(names = "--plain", description = "Line by line, also in a terminal.")
  boolean plain;

  @Option(
      names = "--keep",
      description = "Keep the output of every pod, too, in the folder of the report.")
  boolean keep;

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
    var plan = chaos.plan();
    var manifests = files.read();
    if (LocalRefusal.of(manifests, chosen, err)) {
      return 1;
    }
    if (manifests.stream().noneMatch(RunCommand::isWorkload)) {
      throw new CliFailure(
          "nothing to run: the files hold no JobSet, Job or Pod; nothing was started");
    }
    var folder = folder(manifests);
    if (report != null) {
      folder.make();
    }
    err.println("regroup: " + LocalCluster.isolation()); // at once: the rest takes a moment
    AbandonedRuns.remove(err);
    var signals = InterruptSignals.interrupting(Thread.currentThread());
    try (var directory = RunDirectory.make()) {
      log(directory);
      var secrets =
          new KubeConfigFile(directory.kubeconfig()).secrets(System.getenv(), Caller.get().home());
      var settings =
          new LocalCluster.Settings(directory.data(), 0, chosen, set, secrets).with(nodes.count());
      try (var cluster = LocalCluster.start(settings)) {
        try {
          return run(cluster, directory, manifests, folder, plan, err);
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

  private int run(
      LocalCluster cluster,
      RunDirectory directory,
      List<Manifests.Manifest> manifests,
      ReportFolder folder,
      Optional<ChaosPlan> plan,
      PrintWriter err)
      throws CliFailure, InterruptedException {
    var config = new KubeConfigFile(directory.kubeconfig());
    config.merge(cluster.address(), cluster.admin());
    err.println("regroup: to look inside, in another terminal:");
    err.println( // a line of its own: it is there to be copied
        "  %skubectl --kubeconfig %s get pods"
            .formatted(Caller.get().usesSudo() ? "sudo " : "", config.path()));
    var transport = cluster.adminTransport();
    var kept = keep ? Optional.of(new LogFiles(folder.makeLogs())) : Optional.<LogFiles>empty();
    boolean live = !plain && !verbose && LiveScreen.isPossible();
    try (var picture = LiveScreen.ofRun(Thread.currentThread()::interrupt);
        var hurt = new RunChaos(plan, live ? picture : new PlainScreen(Screen.logs(spec), err));
        var follower = new RunFollower(transport, hurt.screen(), kept, cluster.random())) {
      var objects = new Applier(transport, warning -> warn(warning, err)).create(manifests);
      objects.forEach(object -> tellDefaults(object, err));
      hurt.start(objects, follower, new HarmRoads(transport, directory.data(), Optional.empty()));
      if (live) {
        picture.open(follower::view);
      }
      var ending = follow(follower, objects);
      hurt.close();
      picture.close(); // before anything else is written
      tell(hurt.addTo(follower.report(ending.result(), ending.why())), folder, err);
      return ending.code();
    }
  }

  /** How a run ended. */
  private record Ending(int code, String result, List<String> why) {}

  private Ending follow(RunFollower follower, List<JsonNode> objects) throws CliFailure {
    try {
      var ended = follower.follow(objects, Optional.ofNullable(timeout));
      if (ended.isEmpty()) {
        var why = follower.waitingFor();
        stop(follower, objects);
        return new Ending(CliFailure.Code.TIMED_OUT.number(), "timedOut", why);
      }
      return ended.get() == RunProgress.Result.FAILED
          ? new Ending(CliFailure.Code.FAILED.number(), "failed", follower.culprits())
          : new Ending(SUCCEEDED, "succeeded", List.of());
    } catch (InterruptedException e) {
      stop(follower, objects);
      return new Ending(INTERRUPTED, "interrupted", List.of());
    }
  }

  /** Where the report goes: named after the first workload. */
  private ReportFolder folder(List<Manifests.Manifest> manifests) {
    if (report != null) {
      return ReportFolder.named(report);
    }
    String name =
        manifests.stream()
            .filter(RunCommand::isWorkload)
            .map(one -> one.object().path("metadata").path("name").asText())
            .findFirst()
            .orElse("run");
    return ReportFolder.usual(System.getenv(), Caller.get().home(), name, Instant.now());
  }

  private static boolean isWorkload(Manifests.Manifest manifest) {
    return WORKLOADS.contains(manifest.object().path("kind").asText());
  }

  /** The run was what it was also where its report cannot be written. */
  private static void tell(ObjectNode report, ReportFolder folder, PrintWriter err) {
    err.println(ReportText.of(report));
    try {
      folder.write(report);
      err.println("regroup: the report is in\n  " + folder.path()); // of any length
      folder.tidy();
    } catch (CliFailure e) {
      err.println("regroup: " + e.getMessage());
    }
  }

  /** With their grace, unless somebody is in more of a hurry. */
  private static void stop(RunFollower follower, List<JsonNode> objects) {
    try {
      follower.stop(objects);
    } catch (InterruptedException e) {
      follower.note("ending everything at once");
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
