package dev.regroup.node.container;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a user is at home, by the list of users that containers see. */
final class Homes {

  private static final String NOWHERE = "/"; // as runc says of a user it does not know

  private Homes() {}

  static String of(int user) {
    return of(user, Path.of("/etc/passwd"));
  }

  static String of(int user, Path users) {
    try (var lines = Files.lines(users)) {
      return lines
          .map(line -> line.split(":", -1))
          .filter(fields -> fields.length > 5 && fields[2].equals(String.valueOf(user)))
          .map(fields -> fields[5])
          .filter(home -> !home.isEmpty())
          .findFirst()
          .orElse(NOWHERE);
    } catch (IOException | UncheckedIOException e) {
      return user == 0 ? "/root" : NOWHERE; // a machine without a list
    }
  }
}
