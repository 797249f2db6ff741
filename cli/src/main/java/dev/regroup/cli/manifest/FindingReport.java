package dev.regroup.cli.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.yaml.Position;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.manifest.Manifests.Manifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Findings as compilers print them: place, severity, field, what is wrong. */
public final class FindingReport {

  private FindingReport() {}

  /** One line each, in the order of the file. */
  public static List<String> lines(Manifest manifest, List<Finding> findings) {
    return sorted(manifest, findings).stream()
        .map(finding -> line(manifest, finding))
        .distinct()
        .toList();
  }

  /** The same for programs. */
  public static List<ObjectNode> trees(Manifest manifest, List<Finding> findings) {
    return sorted(manifest, findings).stream()
        .map(finding -> {
          Position place = manifest.document().place(pointer(manifest, finding));
          return Wire.object()
              .put("file", manifest.file())
              .put("line", place.line())
              .put("column", place.column())
              .put("severity", finding.severity().word())
              .put("field", finding.field())
              .put("problem", finding.problem())
              .put("hint", finding.hint());
        })
        .distinct()
        .toList();
  }

  private static List<Finding> sorted(Manifest manifest, List<Finding> findings) {
    var sorted = new ArrayList<>(findings);
    sorted.sort(
        Comparator.comparing(
            finding -> manifest.document().place(pointer(manifest, finding)),
            Comparator.comparingInt(Position::line).thenComparingInt(Position::column)));
    return sorted;
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
