package dev.regroup.cli.kubeconfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** A token in a file that somebody replaces from time to time; read again after a while. */
final class TokenFile implements Supplier<Optional<String>> {

  private static final Duration KEPT = Duration.ofSeconds(10);

  private final Path file;
  private Optional<String> token = Optional.empty(); // guarded by this
  private long read; // guarded by this

  TokenFile(Path file) {
    this.file = file;
  }

  @Override
  public synchronized Optional<String> get() {
    long now = System.nanoTime();
    if (token.isEmpty() || now - read > KEPT.toNanos()) {
      try {
        token = Optional.of(Files.readString(file).strip());
        read = now;
      } catch (IOException e) {
        // being replaced this moment: the old one is good for a while yet
      }
    }
    return token;
  }
}
