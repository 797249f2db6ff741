package dev.regroup.runtime.embedded.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Where a process sees something mounted, as {@code /proc/<pid>/mountinfo} lists it. */
final class MountPoints {

  private static final int POINT = 4; // the fifth field of a line

  private MountPoints() {}

  /** Empty if the process has ended. */
  static Set<Path> of(int pid) {
    var points = new HashSet<Path>();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/mountinfo"))) {
        points.add(Path.of(plain(line.split(" ", POINT + 2)[POINT])));
      }
      return points;
    } catch (IOException e) {
      return Set.of();
    }
  }

  /** Blanks, line ends and backslashes are written as a backslash and three octal digits. */
  static String plain(String field) {
    var text = new StringBuilder();
    for (int i = 0; i < field.length(); i++) {
      if (field.charAt(i) == '\\' && i + 3 < field.length()) {
        text.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        text.append(field.charAt(i));
      }
    }
    return text.toString();
  }
}
