package dev.regroup.cli.explain;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** Message patterns of failure rules, in linear time whatever a manifest says (JS-87). */
final class FailurePatterns {

  private FailurePatterns() {}

  static boolean found(String pattern, String text) {
    try {
      return Pattern.compile(pattern).matcher(text).find();
    } catch (PatternSyntaxException e) {
      return false; // a pattern that does not compile is skipped
    }
  }
}
