package dev.regroup.client;

import java.util.regex.Pattern;

/** Reads the header that carries a server's warnings: {@code 299 - "the text"}. */
final class Warnings {

  private static final Pattern FORM = Pattern.compile("299 \\S+ \"(.*)\"");
  private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");

  private Warnings() {}

  static String text(String header) {
    var match = FORM.matcher(header);
    return match.matches() ? ESCAPE.matcher(match.group(1)).replaceAll("$1") : header;
  }
}
