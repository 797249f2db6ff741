package dev.regroup.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Revisioned objects in one directory. A collection is a resource ({@code pods}), a key is {@code
 * namespace/name}, and one counter numbers all writes.
 *
 * <p>Promises: a write returns only after it is on disk; readers and watchers see nothing earlier;
 * what was acknowledged survives any crash, and after it the numbers go on. While the disk refuses,
 * writes fail with {@link DiskRefused} and reading goes on; when it takes them again, so does the
 * store. All methods may be called by any thread. Reading never waits for writing.
 */
public final class Store implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Store.class);

  private final FileLayer files;
  private final Log log;
  private final Snapshots snapshots;
  private final Feeds feeds;
  private final Committer committer;

  private Store(FileLayer files, Log log, Recovery recovered, Settings settings) {
    this.files = files;
    this.log = log;
    this.snapshots = new Snapshots(files, log, settings);
    this.feeds = recovered.feeds();
    this.committer = new Committer(settings, recovered, log, snapshots, files.place());
  }

  /**
   * Opens or creates the data directory, readable by its owner only.
   *
   * @throws DataDirectoryInUse when another store holds it
   */
  public static Store open(Path directory, Settings settings) throws StoreFailure {
    try {
      return open(DirectoryFiles.open(directory), settings);
    } catch (IOException e) {
      throw new StoreFailure("data directory %s: cannot be opened: %s".formatted(directory, e), e);
    }
  }

  /** Opens the store on any files; they are closed with it. */
  static Store open(FileLayer files, Settings settings) throws IOException, StoreFailure {
    var log = new Log(files);
    try {
      return new Store(files, log, Recovery.read(files, log, settings), settings);
    } catch (IOException | StoreFailure | RuntimeException e) {
      log.close();
      files.close();
      throw e;
    }
  }

  /**
   * Writes a key that must not exist. An interrupt while waiting leaves open whether it was
   * written; this holds for all writes.
   */
  public WriteOutcome create(String collection, String key, Encoder value)
      throws StoreFailure, InterruptedException {
    return committer.write(
        new Committer.Target(
            LogRecord.Type.PUT, collection, key, new Committer.Demand.Absent(), DiskRoom.COMMON),
        value);
  }

  /** Writes a key that must be at {@code expectedRevision}. */
  public WriteOutcome update(String collection, String key, long expectedRevision, Encoder value)
      throws StoreFailure, InterruptedException {
    return update(collection, key, expectedRevision, value, DiskRoom.COMMON);
  }

  /** The same, with a word about what it may use of a full disk. */
  public WriteOutcome update(
      String collection, String key, long expectedRevision, Encoder value, DiskRoom room)
      throws StoreFailure, InterruptedException {
    return committer.write(
        new Committer.Target(
            LogRecord.Type.PUT, collection, key, new Committer.Demand.At(expectedRevision), room),
        value);
  }

  /**
   * Removes a key that must be at {@code expectedRevision}; watchers get {@code lastValue}. May use
   * the reserve of a full disk.
   */
  public WriteOutcome delete(
      String collection, String key, long expectedRevision, Encoder lastValue)
      throws StoreFailure, InterruptedException {
    return committer.write(
        new Committer.Target(
            LogRecord.Type.DELETE,
            collection,
            key,
            new Committer.Demand.At(expectedRevision),
            DiskRoom.RESERVE),
        lastValue);
  }

  /** Why writes are refused now; empty when they are taken. */
  public Optional<StoreFailure> trouble() {
    return committer.trouble();
  }

  /**
   * Has the listener called each time writes begin to be refused or to be taken again. It must be
   * quick and must not write: the disk waits for it.
   */
  public void onTrouble(Runnable listener) {
    committer.onTrouble(listener);
  }

  public Optional<Entry> get(String collection, String key) {
    return committer.state().collection(collection).get(key);
  }

  /** Everything in the collection whose key begins with {@code prefix}; empty means all. */
  public Listing list(String collection, String prefix) {
    var state = committer.state();
    return new Listing(state.revision(), state.collection(collection).startingWith(prefix));
  }

  /**
   * A number that is another one after each write of the collection that readers can see, for those
   * who keep something made of it. It means nothing in another process.
   */
  public long changes(String collection) {
    return committer.state().collection(collection).changes();
  }

  /** The newest revision that readers can see. */
  public long revision() {
    return committer.state().revision();
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
    return feeds.watch(collection, scope, afterRevision);
  }

  /** Finishes the writes under way, ends all cursors, lets go of the directory. */
  @Override
  public void close() {
    committer.close();
    snapshots.close();
    feeds.end();
    try {
      log.close();
      files.close();
    } catch (IOException e) {
      LOG.warn("The data directory could not be closed cleanly; nothing is lost by that", e);
    }
  }
}
