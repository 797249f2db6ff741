package dev.regroup.server.token;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a directory, read or made when they are first needed: finding one takes long enough
 * to be seen in the start of a server that nobody asks for tokens. Read again when files came or
 * went: keys are rotated while the server runs.
 */
public final class KeyDirectory implements Supplier<TokenKeys>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyDirectory.class);

  /** More than a file system's clock needs to move on. */
  private static final Duration TICK = Duration.ofMillis(100);

  private final Path directory;
  private volatile @Nullable Found found; // written under this
  private @Nullable FileTime complained; // guarded by this
  private @Nullable Thread ahead; // guarded by this

  /**
   * The keys there were.
   *
   * @param changed of the directory when they were read; null when it may have changed since
   */
  private record Found(TokenKeys keys, @Nullable FileTime changed) {}

  public KeyDirectory(Path directory) {
    this.directory = directory;
  }

  /** Asked with every request that shows a token: as long as nothing changes, nobody waits. */
  @Override
  public TokenKeys get() {
    var known = found;
    try {
      return known != null && Files.getLastModifiedTime(directory).equals(known.changed())
          ? known.keys()
          : newest();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized TokenKeys newest() throws IOException {
    var before = found;
    if (before == null) {
      return read();
    }
    var known = before.keys();
    var since = Files.getLastModifiedTime(directory);
    if (since.equals(before.changed())) {
      return known;
    }
    try {
      var read = read();
      if (!read.signer().equals(known.signer())) {
        LOG.info("tokens are signed by a new key");
      }
      return read;
    } catch (IOException e) { // a file that is half there, perhaps: the next time it is whole
      if (!since.equals(complained)) {
        LOG.warn("keys of tokens cannot be read again, the old ones stay", e);
        complained = since;
      }
      return known;
    }
  }

  private TokenKeys read() throws IOException {
    var read = TokenKeys.open(directory);
    var since = Files.getLastModifiedTime(directory);
    boolean settled = since.toInstant().plus(TICK).isBefore(Instant.now());
    found = new Found(read, settled ? since : null); // the same tick may bring more
    return read;
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
