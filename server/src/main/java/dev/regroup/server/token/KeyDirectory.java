package dev.regroup.server.token;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a directory, read or made when they are first needed: finding one takes long enough
 * to be seen in the start of a server that nobody asks for tokens.
 */
public final class KeyDirectory implements Supplier<TokenKeys>, AutoCloseable {
  private final Path directory;
  private @Nullable TokenKeys keys; // guarded by this
  private @Nullable Thread ahead; // guarded by this

  public KeyDirectory(Path directory) {
    this.directory = directory;
  }

  @Override
  public synchronized TokenKeys get() {
    var known = keys;
    if (known == null) {
      try {
        known = TokenKeys.open(directory);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      keys = known;
    }
    return known;
  }

  /** Begins to get them, for whoever needs them first. Once. */
  public synchronized void getAhead() {
    ahead = Thread.ofPlatform().name("token-keys").daemon().start(this::get);
  }

  /** Waits until nobody writes to the directory any more. */
  @Override
  public void close() throws InterruptedException {
    Thread begun;
    synchronized (this) {
      begun = ahead;
    }
    if (begun != null) {
      begun.join();
    }
  }
}
