package dev.regroup.cli;

import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.cli.check.ObjectCheck;
import dev.regroup.cli.convert.Converter;
import dev.regroup.cli.manifest.FindingReport;
import dev.regroup.cli.manifest.ManifestFiles;
import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.cli.screen.YamlText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup convert}: manifests in the form any Kubernetes understands (ACT-14). */
@Command(
    name = "convert",
    description = {
      "Prints manifests in their portable form and names what has none.",
      "",
      "Portable is what Kubernetes and JobSet read without Regroup: spellings of early proposals"
          + " become the released ones, and what Regroup would fill in is written down. The"
          + " manifests go to standard output, remarks to standard error."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:converted", "1:a manifest has errors", "2:wrong usage"},
    footer = {
      "  regroup convert draft.yaml > portable.yaml",
      "  regroup convert -o json draft.yaml"
    })
final class ConvertCommand implements Callable<Integer> {

  /** How the manifests are printed. */
  enum Output {
    yaml,
    json
  }

  @Mixin ManifestFiles files = new ManifestFiles();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "yaml|json",
      defaultValue = "yaml",
      description = "How to print them (default: yaml).")
  Output output = Output.yaml;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure {
    PrintWriter out = Screen.out(spec);
    PrintWriter err = Screen.err(spec);
    var check = new ObjectCheck(Gates.product(), Decoding.LENIENT);
    var texts = new ArrayList<String>();
    boolean failed = false;
    for (Manifest manifest : files.read()) {
      var errors =
          check.check(manifest.object()).findings().stream().filter(f -> f.isError()).toList();
      if (!errors.isEmpty()) {
        FindingReport.lines(manifest, errors).forEach(err::println);
        failed = true;
        continue;
      }
      var converted = Converter.convert(manifest.object());
      FindingReport.lines(manifest, converted.notes()).forEach(err::println);
      texts.add(
          switch (output) {
            case yaml -> YamlText.of(converted.object());
            case json -> converted.object().toPrettyString() + "\n";
          });
    }
    if (failed) {
      return 1; // half a file would be taken for a whole one
    }
    out.print(String.join(output == Output.yaml ? "---\n" : "", texts));
    out.flush();
    return 0;
  }
}
