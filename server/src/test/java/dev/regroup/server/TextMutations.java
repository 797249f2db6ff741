package dev.regroup.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.random.RandomGenerator;

/** Spoils bytes: some are changed, doubled, left out, cut off or exchanged for words that hurt. */
final class TextMutations {

  /** Beginnings, ends and numbers of every grammar the server reads. */
  private static final List<String> TOKENS =
      List.of(
          "\"",
          "'",
          "{",
          "}",
          "[",
          "]",
          ":",
          ",",
          "%",
          "%00",
          "%2F",
          "%zz",
          "&",
          "=",
          "==",
          "!=",
          "!",
          " in (",
          ")",
          " notin ",
          "~",
          "~0",
          "~1",
          "\\",
          "\\u0000",
          "\\ud800",
          "/",
          "//",
          "/../",
          "-",
          "\0",
          "\n",
          "\r\n",
          "\t",
          "# ",
          "- ",
          "? ",
          ": ",
          "&a ",
          "*a",
          "<<: *a",
          "|",
          ">",
          "!!binary ",
          "!!set ",
          "---\n",
          "...\n",
          "%YAML 9.9\n",
          "0x",
          "0o17",
          "1e400",
          ".inf",
          ".nan",
          "-0",
          "99999999999999999999",
          "2147483648",
          "-9223372036854775809",
          "null",
          "true",
          "~",
          "\u00ff\u00fe",
          "\u00ef\u00bb\u00bf",
          "\u00ed\u00a0\u0080",
          "\u0080",
          "\u00ff\u00ff\u00ff\u00ff\u000f",
          ";q=0",
          ";as=Table",
          "*/*",
          "k8s\0",
          "All",
          "$patch");

  private final RandomGenerator random;

  TextMutations(RandomGenerator random) {
    this.random = random;
  }

  String of(String text) {
    return new String(of(text.getBytes(ISO_8859_1)), ISO_8859_1);
  }

  byte[] of(byte[] bytes) {
    var spoiled = bytes;
    for (int changes = 1 + random.nextInt(1 + random.nextInt(4)); changes > 0; changes--) {
      spoiled = once(spoiled);
    }
    return spoiled;
  }

  private byte[] once(byte[] bytes) {
    int from = random.nextInt(bytes.length + 1);
    int to = Math.min(bytes.length, from + random.nextInt(1 + random.nextInt(64)));
    return switch (random.nextInt(7)) {
      case 0 -> joined(bytes, 0, from); // the rest never came
      case 1 -> joined(bytes, 0, from, to, bytes.length);
      case 2 -> joined(bytes, 0, to, from, bytes.length); // twice
      case 3 -> inserted(bytes, from, to, new byte[] {(byte) random.nextInt()});
      case 4 -> inserted(bytes, from, from, token());
      case 5 -> inserted(bytes, from, to, token());
      default -> flipped(bytes);
    };
  }

  private byte[] token() {
    return TOKENS.get(random.nextInt(TOKENS.size())).getBytes(ISO_8859_1);
  }

  private byte[] flipped(byte[] bytes) {
    var copy = bytes.clone();
    if (copy.length > 0) {
      copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return copy;
  }

  private static byte[] inserted(byte[] bytes, int from, int to, byte[] between) {
    var out = new ByteArrayOutputStream();
    out.write(bytes, 0, from);
    out.writeBytes(between);
    out.write(bytes, to, bytes.length - to);
    return out.toByteArray();
  }

  private static byte[] joined(byte[] bytes, int... fromTo) {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < fromTo.length; i += 2) {
      out.write(bytes, fromTo[i], fromTo[i + 1] - fromTo[i]);
    }
    return out.toByteArray();
  }
}
