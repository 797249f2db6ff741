package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.Random;

/**
 * A program that writes until it is killed, and says on standard output what was acknowledged:
 * {@code type key revision .} per line. Each of its threads has keys of its own and writes one
 * after the other.
 */
final class KilledWriter {

  private KilledWriter() {}

  public static void main(String[] args) throws Exception {
    var store = Store.open(Path.of(args[0]), KillIT.SETTINGS);
    var threads = new Thread[KillIT.WRITERS];
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
        boolean delete = current.isPresent() && random.nextInt(4) == 0;
        var padding = "x".repeat(random.nextInt(1_000));
        Encoder encoder = revision -> "%d %s".formatted(revision, padding).getBytes(UTF_8);
        var outcome =
            current.isEmpty()
                ? store.create("things", key, encoder)
                : delete
                    ? store.delete("things", key, current.get().revision(), encoder)
                    : store.update("things", key, current.get().revision(), encoder);
        if (outcome instanceof WriteOutcome.Committed(Entry entry)) {
          var type = delete ? Change.Type.DELETE : Change.Type.PUT;
          System.out.println(type + " " + key + " " + entry.revision() + " .");
        }
      }
    } catch (StoreFailure | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
