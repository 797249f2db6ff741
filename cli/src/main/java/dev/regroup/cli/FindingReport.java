package dev.regroup.cli;

import dev.regroup.cli.Manifests.Manifest;
import dev.regroup.cli.check.Finding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Findings as compilers print them: place, severity, field, what is wrong. */
final class FindingReport {

  private FindingReport() {}

  /** One line each, in the order of the file. */
  static List<String> lines(Manifest manifest, List<Finding> findings) {
    var sorted = new ArrayList<>(findings);
    sorted.sort(
        Comparator.comparing(
            finding -> manifest.document().place(pointer(manifest, finding)),
            Comparator.comparingInt(dev.regroup.api.yaml.Position::line)
                .thenComparingInt(dev.regroup.api.yaml.Position::column)));
    return sorted.stream().map(finding -> line(manifest, finding)).distinct().toList();
  }

  private static String line(Manifest manifest, Finding finding) {
    String field = finding.field().isEmpty() ? "" : finding.field() + ": ";
    return manifest.at(FieldPointer.of(finding.field()))
        + ": "
        + finding.severity().word()
        + ": "
        + field
        + finding.message();
  }

  private static String pointer(Manifest manifest, Finding finding) {
    return manifest.pointer() + FieldPointer.of(finding.field());
  }
}
