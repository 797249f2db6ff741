package dev.regroup.api.pod;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.progress.StepLines;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The annotation {@code regroup.dev/progress-pattern}: an RE2 pattern that is looked for in every
 * line a worker writes. Its first group is the step, its second, if there is one, the total.
 */
public final class ProgressPattern {

  private static final int LONGEST = 500;

  private ProgressPattern() {}

  /** What is wrong with a pattern, if something is. */
  public static Optional<String> problem(String text) {
    if (text.length() > LONGEST) {
      return Optional.of("must not be longer than " + LONGEST + " characters");
    }
    try {
      int groups = Pattern.compile(text).groupCount();
      return groups == 1 || groups == 2
          ? Optional.empty()
          : Optional.of(
              "must have one group for the step, or two for step and total, such as"
                  + " \"batch (\\\\d+) of (\\\\d+)\"");
    } catch (PatternSyntaxException e) {
      return Optional.of("must be an RE2 pattern: " + e.getMessage());
    }
  }

  /** How the lines of a pod are read; a pattern that cannot be used is as if it were not there. */
  public static StepLines lines(@Nullable Map<String, String> annotations) {
    String text = annotations == null ? null : annotations.get(JobSetKeys.PROGRESS_PATTERN);
    if (text == null || problem(text).isPresent()) {
      return StepLines.usual();
    }
    var pattern = Pattern.compile(text);
    return StepLines.with(line -> find(pattern, line));
  }

  private static Optional<StepLines.Found> find(Pattern pattern, String line) {
    var match = pattern.matcher(line);
    if (!match.find() || match.group(1) == null) {
      return Optional.empty();
    }
    String total = match.groupCount() > 1 ? match.group(2) : null;
    return Optional.of(new StepLines.Found(match.group(1), total == null ? "" : total));
  }
}
