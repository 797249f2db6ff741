package dev.regroup.node.image;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The grammar of image names: {@code [registry[:port]/]path[:tag][@digest]}. The text before the
 * first slash is a registry when it looks like one: a dot, a port, {@code localhost} or upper case.
 */
final class ImageName {
  private static final String BAD_FORMAT = "invalid reference format";
  private static final String HOST_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
  private static final String REGISTRY =
      "(?:%1$s(?:\\.%1$s)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?".formatted(HOST_PART);
  private static final String PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
  private static final Pattern NAME =
      Pattern.compile(
          "(?:%1$s/)?%2$s(?:/%2$s)*(?::\\w[\\w.-]{0,127})?(?:@%3$s)?"
              .formatted(
                  REGISTRY,
                  PATH_PART,
                  "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}"));
  private static final Pattern LOOKS_LIKE_AN_ID = Pattern.compile("[a-f0-9]{64}");
  private static final int LONGEST = 255;

  private ImageName() {}

  /** What is wrong with a name, in the words Kubernetes' nodes have for it; empty when nothing. */
  static Optional<String> problem(String name) {
    if (LOOKS_LIKE_AN_ID.matcher(name).matches()) {
      return Optional.of(
          "invalid repository name (%s), cannot specify 64-byte hexadecimal strings"
              .formatted(name));
    }
    int slash = name.indexOf('/');
    boolean registry = slash >= 0 && isRegistry(name.substring(0, slash));
    var rest = registry ? name.substring(slash + 1) : name;
    int colon = rest.indexOf(':');
    var path = colon < 0 ? rest : rest.substring(0, colon);
    if (!path.equals(path.toLowerCase(Locale.ROOT))) {
      return Optional.of(BAD_FORMAT + ": repository name (" + path + ") must be lowercase");
    }
    if (!NAME.matcher(name).matches()) {
      return Optional.of(BAD_FORMAT);
    }
    return path.length() > LONGEST
        ? Optional.of("repository name must not be more than " + LONGEST + " characters")
        : Optional.empty();
  }

  /** Of the path, without tag and digest: {@code busybox} for {@code a.io/library/busybox:1}. */
  static String lastPart(String name) {
    int digest = name.indexOf('@');
    var tagged = digest < 0 ? name : name.substring(0, digest);
    var last = tagged.substring(tagged.lastIndexOf('/') + 1);
    int tag = last.indexOf(':');
    return tag < 0 ? last : last.substring(0, tag);
  }

  private static boolean isRegistry(String text) {
    return text.contains(".")
        || text.contains(":")
        || text.equals("localhost")
        || !text.equals(text.toLowerCase(Locale.ROOT));
  }
}
