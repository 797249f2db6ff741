package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.runtime.CelEvaluationException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code semver}: versions of three numbers, in their order. */
final class SemverFunctions {
  private static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");
  private static final String NUMBER = "(0|[1-9][0-9]{0,17})";
  private static final Pattern VERSION =
      Pattern.compile(
          NUMBER
              + "\\."
              + NUMBER
              + "\\."
              + NUMBER
              + "(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?"
              + "(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?");
  private static final Pattern LOOSE =
      Pattern.compile("v?([0-9]{1,18})(?:\\.([0-9]{1,18}))?(?:\\.([0-9]{1,18}))?([-+].*)?");

  /**
   * A version.
   *
   * @param previews what follows the hyphen, at the dots; a version without comes later
   */
  record Version(long major, long minor, long patch, List<String> previews)
      implements Comparable<Version> {

    @Override
    public int compareTo(Version other) {
      int numbers = Long.compare(major, other.major);
      numbers = numbers == 0 ? Long.compare(minor, other.minor) : numbers;
      numbers = numbers == 0 ? Long.compare(patch, other.patch) : numbers;
      if (numbers != 0 || previews.isEmpty() || other.previews.isEmpty()) {
        return numbers != 0
            ? numbers
            : Boolean.compare(previews.isEmpty(), other.previews.isEmpty());
      }
      for (int i = 0; i < Math.min(previews.size(), other.previews.size()); i++) {
        int part = compare(previews.get(i), other.previews.get(i));
        if (part != 0) {
          return part;
        }
      }
      return Integer.compare(previews.size(), other.previews.size());
    }

    private static int compare(String a, String b) {
      boolean aNumber = isNumber(a);
      boolean bNumber = isNumber(b);
      if (aNumber && bNumber) {
        return Long.compare(Long.parseLong(a), Long.parseLong(b));
      }
      return aNumber == bNumber ? a.compareTo(b) : Boolean.compare(bNumber, aNumber);
    }

    private static boolean isNumber(String text) {
      return text.length() <= 18 && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
  }

  private SemverFunctions() {}

  static FunctionTable table() {
    var two = List.of(SEMVER, SEMVER);
    var one = List.of(SEMVER);
    return new FunctionTable()
        .type(SEMVER, Version.class)
        .global("semver", "string_to_semver", SEMVER, List.of(STRING), args -> semver(args, false))
        .global(
            "semver",
            "string_bool_to_semver",
            SEMVER,
            List.of(STRING, BOOL),
            args -> semver(args, (Boolean) args[1]))
        .global(
            "isSemver",
            "is_semver_string",
            BOOL,
            List.of(STRING),
            args -> parse((String) args[0], false).isPresent())
        .global(
            "isSemver",
            "is_semver_string_bool",
            BOOL,
            List.of(STRING, BOOL),
            args -> parse((String) args[0], (Boolean) args[1]).isPresent())
        .member("major", "semver_major", INT, one, args -> ((Version) args[0]).major())
        .member("minor", "semver_minor", INT, one, args -> ((Version) args[0]).minor())
        .member("patch", "semver_patch", INT, one, args -> ((Version) args[0]).patch())
        .member("isLessThan", "semver_is_less_than", BOOL, two, args -> compare(args) < 0)
        .member("isGreaterThan", "semver_is_greater_than", BOOL, two, args -> compare(args) > 0)
        .member("compareTo", "semver_compare_to", INT, two, args -> (long) compare(args));
  }

  private static int compare(Object[] args) {
    return Integer.signum(((Version) args[0]).compareTo((Version) args[1]));
  }

  private static Version semver(Object[] args, boolean loose) throws CelEvaluationException {
    return FunctionTable.orFail(
        parse((String) args[0], loose), "semver parse error: \"" + args[0] + "\"");
  }

  private static Optional<Version> parse(String text, boolean loose) {
    var found = VERSION.matcher(loose ? normal(text) : text);
    if (!found.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new Version(
            Long.parseLong(found.group(1)),
            Long.parseLong(found.group(2)),
            Long.parseLong(found.group(3)),
            found.group(4) == null ? List.of() : List.of(found.group(4).split("\\.", -1))));
  }

  /** Without a leading v and leading zeros, with all three numbers. */
  private static String normal(String text) {
    var found = LOOSE.matcher(text);
    if (!found.matches()) {
      return text;
    }
    var numbers = new StringBuilder();
    for (int i = 1; i <= 3; i++) {
      String number = found.group(i);
      numbers.append(i == 1 ? "" : ".").append(number == null ? 0 : Long.parseLong(number));
    }
    return numbers + (found.group(4) == null ? "" : found.group(4));
  }
}
