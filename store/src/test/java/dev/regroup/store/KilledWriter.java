package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.Random;

/**
 * A program that writes until it is killed, and says on standard output what was acknowledged:
 * {@code key revision} per line.
 */
final class KilledWriter {

  private KilledWriter() {}

  public static void main(String[] args) throws Exception {
    var settings = Settings.STANDARD.withSnapshotAfter(64 << 10);
    var store = Store.open(Path.of(args[0]), settings);
    var threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      int number = i;
      threads[i] = Thread.ofVirtual().start(() -> write(store, number));
    }
    for (var thread : threads) {
      thread.join();
    }
  }

  private static void write(Store store, int number) {
    var random = new Random();
    try {
      while (true) {
        var key = number + "/" + random.nextInt(20);
        var current = store.get("things", key);
        Encoder encoder = revision -> "%d %s".formatted(revision, "x".repeat(500)).getBytes(UTF_8);
        var outcome =
            current.isEmpty()
                ? store.create("things", key, encoder)
                : store.update("things", key, current.get().revision(), encoder);
        if (outcome instanceof WriteOutcome.Committed(Entry entry)) {
          System.out.println(key + " " + entry.revision());
        }
      }
    } catch (StoreFailure | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
