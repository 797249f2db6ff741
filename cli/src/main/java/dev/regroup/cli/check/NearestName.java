package dev.regroup.cli.check;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that a mistyped one most likely stands for. */
final class NearestName {

  private NearestName() {}

  /** {@code did you mean "x"?}, or nothing when no known name is near. */
  static String hint(String name, Collection<String> known) {
    return find(name, known).map(near -> "did you mean \"" + near + "\"?").orElse("");
  }

  /** The nearest name, if it is near: up to a third of the letters may differ. */
  static Optional<String> find(String name, Collection<String> known) {
    String best = "";
    int bestDistance = Math.max(1, name.length() / 3) + 1;
    for (String candidate : known) {
      int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best.isEmpty() ? Optional.empty() : Optional.of(best);
  }

  /** Letters to insert, delete or replace (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
