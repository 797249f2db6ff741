package dev.regroup.cli.manifest;

import java.util.regex.Pattern;

/** Turns a field path of Kubernetes, {@code spec.containers[0].name}, into a JSON pointer. */
final class FieldPointer {

  private static final Pattern PART = Pattern.compile("\\[([^\\]]*)\\]|([^.\\[]+)");

  private FieldPointer() {}

  static String of(String field) {
    var pointer = new StringBuilder();
    var parts = PART.matcher(field);
    while (parts.find()) {
      String part = parts.group(1) != null ? parts.group(1) : parts.group(2);
      pointer.append('/').append(part.replace("~", "~0").replace("/", "~1"));
    }
    return pointer.toString();
  }
}
