package dev.regroup.control.jobset;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.regroup.rules.jobset.JobSetPlan;

/** RE2 patterns: linear time whatever a user writes (JS-87). */
final class RePatterns implements JobSetPlan.Patterns {

  @Override
  public boolean found(String pattern, String text) {
    try {
      return Pattern.compile(pattern).matcher(text).find();
    } catch (PatternSyntaxException e) {
      return false; // a pattern that does not compile is skipped
    }
  }
}
