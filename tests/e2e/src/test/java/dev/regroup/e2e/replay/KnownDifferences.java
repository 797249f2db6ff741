package dev.regroup.e2e.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The table of docs/reference/differences.md: what a user is told, and what the test allows. */
final class KnownDifferences {
  private static final Path PAGE = Path.of("../../docs/reference/differences.md");
  private static final Pattern ROW = Pattern.compile("\\| (\\w+/[\\w-]+) \\| (\\d+) \\| .+ \\|");

  private KnownDifferences() {}

  /** The steps of a recording whose answers may differ. */
  static List<Integer> of(String recording) throws IOException {
    return ROW.matcher(Files.readString(PAGE))
        .results()
        .filter(row -> row.group(1).equals(recording))
        .map(row -> Integer.valueOf(row.group(2)))
        .toList();
  }
}
