package dev.regroup.server.resource;

import java.util.Comparator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Versions as Kubernetes prefers them: stable ones first, then beta, then alpha, each the higher
 * the better; names of another form come last, in the order of the alphabet.
 */
public final class VersionOrder {
  private static final Pattern FORM =
      Pattern.compile("v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?");

  /** The preferred one first. */
  public static final Comparator<String> BEST_FIRST =
      Comparator.comparing(VersionOrder::rank).thenComparing(Comparator.naturalOrder());

  private VersionOrder() {}

  /** Sorts smaller the more it is preferred. */
  private static String rank(String version) {
    var form = FORM.matcher(version);
    if (!form.matches()) {
      return "9";
    }
    var stage = form.group(2);
    int level = stage == null ? 0 : stage.equals("beta") ? 1 : 2;
    return "%d %s %s".formatted(level, descending(form.group(1)), descending(form.group(3)));
  }

  /** Numbers as texts that sort the other way round. */
  private static String descending(@Nullable String number) {
    long value = number == null ? 0 : Long.parseLong(number);
    return "%019d".formatted(Long.MAX_VALUE - value);
  }
}
