package dev.regroup.cli.kubeconfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The person who started the program: under sudo not root but whoever called sudo, because that is
 * who types the next {@code kubectl}.
 *
 * @param users the file that knows everybody's home, {@code /etc/passwd}
 */
public record Caller(Map<String, String> environment, Path ownHome, Path users) {

  public static Caller get() {
    return new Caller(
        System.getenv(), Path.of(System.getProperty("user.home")), Path.of("/etc/passwd"));
  }

  public boolean usesSudo() {
    String user = environment.getOrDefault("SUDO_USER", "");
    return !user.isEmpty() && !user.equals("root");
  }

  /** Where their kubeconfig is. A user this machine's own file does not know has ours. */
  public Path home() {
    if (!usesSudo()) {
      return ownHome;
    }
    String line = environment.get("SUDO_USER") + ":";
    try {
      return Files.readAllLines(users).stream()
          .filter(user -> user.startsWith(line))
          .map(user -> user.split(":", -1))
          .filter(fields -> fields.length > 5 && !fields[5].isEmpty())
          .map(fields -> Path.of(fields[5]))
          .findFirst()
          .orElse(ownHome);
    } catch (IOException e) {
      return ownHome;
    }
  }
}
