package dev.regroup.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Revisioned objects in one directory. A collection is a resource ({@code pods}), a key is {@code
 * namespace/name}, and one counter numbers all writes.
 *
 * <p>Promises: a write returns only after it is on disk; readers and watchers see nothing earlier;
 * what was acknowledged survives any crash, and after it the numbers go on. All methods may be
 * called by any thread. Reading never waits for writing.
 */
public final class Store implements AutoCloseable {

  private Store() {}

  /**
   * Opens or creates the data directory, readable by its owner only.
   *
   * @throws DataDirectoryInUse when another store holds it
   */
  public static Store open(Path directory, Settings settings) throws StoreFailure {
    throw new UnsupportedOperationException(directory + " " + settings);
  }

  /**
   * Writes a key that must not exist. An interrupt while waiting leaves open whether it was written.
   */
  public Outcome create(String collection, String key, Encoder value)
      throws StoreFailure, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Writes a key that must be at {@code expectedRevision}. */
  public Outcome update(String collection, String key, long expectedRevision, Encoder value)
      throws StoreFailure, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Removes a key that must be at {@code expectedRevision}; watchers get {@code lastValue}. */
  public Outcome delete(String collection, String key, long expectedRevision, Encoder lastValue)
      throws StoreFailure, InterruptedException {
    throw new UnsupportedOperationException();
  }

  public Optional<Entry> get(String collection, String key) {
    throw new UnsupportedOperationException();
  }

  /** Everything in the collection whose key begins with {@code prefix}; empty means all. */
  public Listing list(String collection, String prefix) {
    throw new UnsupportedOperationException();
  }

  /** The newest revision that readers can see. */
  public long revision() {
    throw new UnsupportedOperationException();
  }

  /** Watches a whole collection from the first change after that revision on. */
  public Cursor watch(String collection, long afterRevision) {
    return watch(collection, "", afterRevision);
  }

  /**
   * Watches part of a collection, without any work for changes outside it.
   *
   * @param scope empty for all, {@code namespace/} for the keys that begin with it (up to their
   *     first slash), or one whole key
   */
  public Cursor watch(String collection, String scope, long afterRevision) {
    throw new UnsupportedOperationException();
  }

  /** Finishes the writes under way, ends all cursors, lets go of the directory. */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
