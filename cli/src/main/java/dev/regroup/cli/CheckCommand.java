package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.check.CheckTarget;
import dev.regroup.cli.check.ClosedWorld;
import dev.regroup.cli.check.ClusterCheck;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.LocalCheck;
import dev.regroup.cli.check.ObjectCheck;
import dev.regroup.cli.check.Traps;
import dev.regroup.cli.local.NodeGates;
import dev.regroup.cli.manifest.FindingReport;
import dev.regroup.cli.manifest.ManifestFiles;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup check}: what is wrong with manifests, without running them. */
@Command(
    name = "check",
    description = {
      "Names every error in manifests with file, line, column and field.",
      "",
      "Also warns of what is allowed and hardly meant, such as a rule that can never match."
          + " Nothing is started, and no cluster is asked: for a local run, what a pod refers to"
          + " has to be in one of the files."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:no errors, perhaps warnings", "1:errors", "2:wrong usage"},
    footer = {
      "  regroup check training.yaml",
      "  regroup check --target=kubernetes:1.35 *.yaml",
      "  regroup check -o json - < training.yaml"
    })
final class CheckCommand implements Callable<Integer> {

  @Mixin ManifestFiles files = new ManifestFiles();

  @Mixin GateOptions gates = new GateOptions();

  @Mixin DecodingOption decoding = new DecodingOption();

  @Option(
      names = "--target",
      paramLabel = "local|kubernetes:1.NN",
      defaultValue = "local",
      description =
          "Where the manifests are meant to run (default: local). For a cluster, also says what"
              + " that version would refuse or drop.")
  String target = "local";

  @Mixin OutputOption output = new OutputOption();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure {
    PrintWriter out = Screen.out(spec);
    var chosen = gates.gates(Screen.err(spec));
    var check = new ObjectCheck(chosen, decoding.decoding(chosen));
    var traps = new Traps(NodeGates.of(chosen).gates());
    var destination =
        CheckTarget.parse(target)
            .orElseThrow(() ->
                new CliFailure(
                    CliFailure.Code.USAGE,
                    "--target: unknown value \"%s\" (local, or kubernetes:1.36)".formatted(target),
                    null));
    var tree = Wire.object().putArray("findings");
    var manifests = new ArrayList<Manifest>();
    int errors = read(manifests, tree);
    var world = new ClosedWorld(manifests.stream().map(Manifest::object).toList());
    var local = new LocalCheck(check, world);
    for (Manifest manifest : manifests) {
      var findings = findings(manifest, check, local, traps, destination);
      if (output.isText()) {
        FindingReport.lines(manifest, findings).forEach(out::println);
      } else {
        tree.addAll(FindingReport.trees(manifest, findings));
      }
      errors += (int) findings.stream().filter(Finding::isError).count();
    }
    local.served().ifPresent(served -> Screen.err(spec).println("regroup: " + served));
    if (!output.isText()) {
      output.print(out, tree);
    }
    return errors == 0 ? 0 : 1;
  }

  /** Reads all files first, as they may refer to each other; returns how many cannot be read. */
  private int read(List<Manifest> manifests, ArrayNode tree) {
    int unreadable = 0;
    for (Path file : files.paths) {
      try {
        manifests.addAll(Manifests.objects(List.of(file), System.in));
      } catch (CliFailure e) {
        // The other files still get their say.
        Screen.err(spec).println("regroup: " + e.getMessage());
        tree.addObject().put("severity", "error").put("problem", e.getMessage());
        unreadable++;
      }
    }
    return unreadable;
  }

  private static List<Finding> findings(
      Manifest manifest,
      ObjectCheck check,
      LocalCheck local,
      Traps traps,
      CheckTarget destination) {
    var checked =
        switch (destination) {
          case CheckTarget.Local() -> local.check(manifest.object());
          case CheckTarget.Kubernetes _ -> check.check(manifest.object());
        };
    var findings = new ArrayList<>(checked.findings());
    if (checked.ok() && checked.admitted().isPresent()) {
      findings.addAll(traps.find(checked.admitted().get(), checked.templates()));
    }
    if (destination instanceof CheckTarget.Kubernetes kubernetes) {
      findings.addAll(new ClusterCheck(kubernetes).find(manifest.object(), checked.findings()));
    }
    return findings;
  }
}
