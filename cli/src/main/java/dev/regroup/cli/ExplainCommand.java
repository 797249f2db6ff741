package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.check.ObjectCheck;
import dev.regroup.cli.explain.ExitQuestion;
import dev.regroup.cli.explain.Explainer;
import dev.regroup.cli.explain.Explanation;
import dev.regroup.cli.explain.ExplanationText;
import dev.regroup.cli.manifest.FindingReport;
import dev.regroup.cli.manifest.ManifestFiles;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup explain}: what happens when a container exits, and which field says so. */
@Command(
    name = "explain",
    description = {
      "Shows what happens to Pod, Job and JobSet on which exit code.",
      "",
      "One line for each container and exit code; the last column names the field that decides."
          + " Nothing is started: the answer comes from the rules that the node and the controllers"
          + " follow."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:explained",
      "1:a manifest has errors, or holds nothing to explain",
      "2:wrong usage",
      "3:no container of that name (--exit)"
    },
    footer = {
      "  regroup explain training.yaml",
      "  regroup explain --exit worker=42 training.yaml",
      "  regroup explain --exit worker=OOMKilled training.yaml"
    })
final class ExplainCommand implements Callable<Integer> {

  @Mixin ManifestFiles files = new ManifestFiles();

  @Mixin GateOptions gates = new GateOptions();

  @Mixin DecodingOption decoding = new DecodingOption();

  @Option(
      names = "--exit",
      paramLabel = "CONTAINER=CODE",
      description =
          "Answers about one exit in one sentence. CODE is a number, a signal such as SIGKILL, or"
              + " OOMKilled.")
  @Nullable String exit;

  @Mixin OutputOption output = new OutputOption();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure {
    PrintWriter out = Screen.out(spec);
    PrintWriter err = Screen.err(spec);
    var chosen = gates.gates(err);
    var question = question();
    var check = new ObjectCheck(chosen, decoding.decoding(chosen));
    var explainer = Explainer.of(chosen);
    var explanations = new ArrayList<Explanation>();
    boolean failed = false;
    for (Manifest manifest : Manifests.objects(files.paths, System.in)) {
      var checked = check.check(manifest.object());
      FindingReport.lines(manifest, checked.findings()).forEach(err::println);
      failed |= !checked.ok();
      for (var template : checked.templates()) {
        var object = checked.admitted().orElseThrow();
        if (question == null) {
          explanations.add(explainer.explain(object, template));
        } else {
          explainer.explain(object, template, question).ifPresent(explanations::add);
        }
      }
    }
    if (explanations.isEmpty() && !failed) {
      throw nothing(question);
    }
    print(out, explanations, question == null);
    return failed ? 1 : 0;
  }

  private @Nullable ExitQuestion question() throws CliFailure {
    if (exit == null) {
      return null;
    }
    return ExitQuestion.parse(exit)
        .orElseThrow(() ->
            new CliFailure(
                CliFailure.Code.USAGE,
                "--exit: cannot read \"%s\" (write CONTAINER=CODE, as in worker=42; codes go to 255)"
                    .formatted(exit),
                null));
  }

  private CliFailure nothing(@Nullable ExitQuestion question) {
    return question == null
        ? new CliFailure("no Pod, Job or JobSet in " + files.paths + " (nothing to explain)")
        : new CliFailure(
            CliFailure.Code.NOT_FOUND,
            "--exit: no container \"%s\" in %s".formatted(question.container(), files.paths),
            null);
  }

  private void print(PrintWriter out, List<Explanation> explanations, boolean all) {
    if (!output.isText()) {
      output.print(out, tree(explanations));
      return;
    }
    var texts = new ArrayList<String>();
    for (Explanation one : explanations) {
      texts.add(all ? ExplanationText.table(one) : ExplanationText.sentence(one));
    }
    out.print(String.join(all ? "\n" : "", texts));
    out.flush();
  }

  private static ArrayNode tree(List<Explanation> explanations) {
    var trees = Wire.object().putArray("explanations");
    explanations.forEach(one -> trees.add(ExplanationText.tree(one)));
    return trees;
  }
}
