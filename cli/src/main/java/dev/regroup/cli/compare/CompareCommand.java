package dev.regroup.cli.compare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.cli.chaos.ChaosOption;
import dev.regroup.cli.kubeconfig.Caller;
import dev.regroup.cli.live.LiveScreen;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.manifest.LocalRefusal;
import dev.regroup.cli.manifest.ManifestFiles;
import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.report.ReportFolder;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Reason;
import dev.regroup.cli.screen.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup compare}: the same failures with both restart strategies. */
@Command(
    name = "compare",
    description = {
      "Runs manifests twice, with InPlaceRestart and with Recreate, and compares.",
      "",
      "One after the other, each in a process and a cluster of its own, with the same failures:"
          + " those of the workers themselves, and those of --chaos. The figures are those of the"
          + " two reports. InPlaceRestart comes first, so that what the first run leaves in the"
          + " machine's caches helps the other. Needs root."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:both succeeded",
      "1:one failed, or a manifest was refused",
      "2:wrong usage",
      "4:one was not over within --timeout",
      "130:interrupted"
    },
    footer = {
      "  regroup compare examples/training.yaml",
      "  regroup compare --chaos 'kill worker 1 at step 100' examples/training.yaml",
      "  regroup compare -o json --report out examples/training.yaml"
    })
public final class CompareCommand implements Callable<Integer> {

  /** How the result is shown. */
  enum Form {
    table,
    json
  }

  private static final int INTERRUPTED = 130; // as a shell has it for SIGINT
  private static final List<Strategy> ORDER = List.of(Strategy.IN_PLACE, Strategy.RECREATE);

  @Mixin ManifestFiles files = new ManifestFiles();

  @Mixin ChaosOption chaos = new ChaosOption();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "End a run that is not over after this time (default: no limit).")
  @Nullable Duration timeout;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Keep both reports and comparison.json in this folder (default: a new one in"
              + " ~/.local/state/regroup/reports).")
  @Nullable Path report;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "table|json",
      defaultValue = "table",
      description = "How to print the result (default: table).")
  Form form = Form.table;

  @Option(names = "--plain", description = "Line by line, also in a terminal.")
  boolean plain;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    var err = Screen.err(spec);
    chaos.plan(); // wrong ones are refused before anything starts
    var manifests = files.read();
    var variants = new StrategyManifests(manifests);
    if (LocalRefusal.of(manifests, Gates.product(), err)) {
      return CliFailure.Code.FAILED.number();
    }
    LocalCluster.isolation();
    var texts = new EnumMap<Strategy, String>(Strategy.class);
    ORDER.forEach(strategy -> texts.put(strategy, variants.with(strategy)));
    tell(variants, err);
    return compare(texts, folder(manifests), err);
  }

  private static void tell(StrategyManifests variants, PrintWriter err) {
    if (!variants.filled().isEmpty()) {
      err.println(
          "regroup: filled in for Recreate, so that a failed worker restarts the group, too:");
      variants.filled().forEach(line -> err.println("  " + line));
    }
    for (String path : variants.shared()) {
      err.println(
          "regroup: warning: both runs share %s: the second may find what the first left"
              .formatted(path));
    }
  }

  private int compare(Map<Strategy, String> texts, ReportFolder folder, PrintWriter err)
      throws CliFailure, InterruptedException {
    var runs = RunProcess.of("compare");
    var reports = new EnumMap<Strategy, ObjectNode>(Strategy.class);
    int worst = 0;
    for (var strategy : ORDER) {
      err.println(
          "regroup: run %d of %d: %s"
              .formatted(reports.size() + 1, ORDER.size(), strategy.wireName()));
      Path place = folder.path().resolve(strategy.wireName());
      int code = run(runs, String.valueOf(texts.get(strategy)), place);
      if (runs.isInterrupted()) {
        return INTERRUPTED;
      }
      reports.put(strategy, ReportFolder.read(place));
      worst = Math.max(worst, code);
    }
    var tree = Comparison.tree(reports);
    chaos.text().ifPresent(text -> tree.put("chaos", text));
    var out = Screen.out(spec);
    out.println(form == Form.json ? tree.toPrettyString() : ComparisonText.of(tree));
    keep(folder, tree, err);
    folder.tidy();
    return worst;
  }

  private int run(RunProcess runs, String text, Path place)
      throws CliFailure, InterruptedException {
    Path file = null;
    try {
      file = Files.createTempFile("regroup-compare-", ".yaml"); // its owner's alone
      Files.writeString(file, text);
      boolean live = form == Form.table && !plain && LiveScreen.isPossible();
      return runs.run(
          live ? RunProcess.Show.EVERYTHING : RunProcess.Show.STORY, arguments(file, place, live));
    } catch (IOException e) {
      throw new CliFailure("the manifests cannot be written: " + Reason.of(e), e);
    } finally {
      delete(file);
    }
  }

  private List<String> arguments(Path file, Path place, boolean live) {
    var arguments = new ArrayList<>(List.of("--report", place.toString()));
    chaos.text().ifPresent(text -> arguments.addAll(List.of("--chaos", text)));
    if (timeout != null) {
      arguments.addAll(List.of("--timeout", timeout.toMillis() + "ms"));
    }
    if (!live) {
      arguments.add("--plain");
    }
    arguments.add(file.toString());
    return arguments;
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      return; // a draft in the folder for drafts
    }
  }

  private static void keep(ReportFolder folder, ObjectNode tree, PrintWriter err) {
    Path file = folder.path().resolve("comparison.json");
    try {
      Files.writeString(file, tree.toPrettyString() + "\n");
      Files.setOwner(file, Files.getOwner(folder.path()));
      err.println("regroup: both reports are in\n  " + folder.path());
    } catch (IOException e) {
      err.println("regroup: %s: cannot be written: %s".formatted(file, Reason.of(e)));
    }
  }

  private ReportFolder folder(List<Manifest> manifests) {
    if (report != null) {
      return ReportFolder.named(report);
    }
    String name =
        manifests.stream()
            .filter(one -> one.object().path("kind").asText().equals("JobSet"))
            .map(one -> one.object().path("metadata").path("name").asText())
            .findFirst()
            .orElse("run");
    return ReportFolder.usual(
        System.getenv(), Caller.get().home(), name + "-compare", Instant.now());
  }
}
