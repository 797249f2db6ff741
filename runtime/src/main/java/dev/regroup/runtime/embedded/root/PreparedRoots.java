package dev.regroup.runtime.embedded.root;

import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.supervision.Preparer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Keeps root file systems ready for runs nobody could prepare as a whole: with nine overlays on a
 * busy disk making one takes longer than all the rest of a start. Nothing depends on it: without a
 * ready one it is made on the spot.
 */
public final class PreparedRoots implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(PreparedRoots.class.getName());
  private static final int SPARE = 2;
  private static final int MOST = 64;

  private final Layout layout;
  private final RootSource source;
  private final Trash trash;
  private final Preparer preparer;
  private final Preparer.Chore chore;
  private final IntSupplier wanted;
  private final AtomicInteger number = new AtomicInteger();
  private final Queue<PreparedRoot> ready = new ConcurrentLinkedQueue<>();

  /**
   * What an earlier run prepared is thrown away: its overlays ended with it.
   *
   * @param wanted how many runs may be asked for at the same time
   */
  public PreparedRoots(
      Layout layout, RootSource source, Trash trash, Preparer preparer, IntSupplier wanted)
      throws IOException {
    this.layout = layout;
    this.source = source;
    this.trash = trash;
    this.preparer = preparer;
    this.chore = preparer.chore(this::fill);
    this.wanted = wanted;
    trash.take(layout.prepared());
    Files.createDirectories(layout.prepared());
  }

  /** Makes what is missing and throws away what is too much, in the background. */
  public void refill() {
    chore.soon();
  }

  /** One that is made of what there is now. */
  public PreparedRoot take() throws IOException {
    chore.later();
    for (PreparedRoot root = ready.poll(); root != null; root = ready.poll()) {
      if (root.view().isCurrent()) {
        return root;
      }
      discard(root);
    }
    return make();
  }

  /** For one that was taken or made and is not needed after all. */
  public void discard(PreparedRoot root) throws IOException {
    root.close();
    trash.take(root.directory());
  }

  public PreparedRoot make() throws IOException {
    Path directory = layout.prepared().resolve(Integer.toString(number.getAndIncrement()));
    try {
      return PreparedRoot.make(directory, source.look());
    } catch (IOException e) {
      trash.take(directory);
      throw e;
    }
  }

  private void fill() {
    try {
      while (!preparer.isClosed() && ready.size() < enough()) {
        ready.add(make());
      }
      while (ready.size() > enough()) { // each has open descriptors
        var root = ready.poll();
        if (root != null) {
          discard(root);
        }
      }
    } catch (IOException | RuntimeException e) { // a start that needs one will say so
      LOG.log(System.Logger.Level.DEBUG, "cannot prepare the next run", e);
    }
  }

  private int enough() {
    return Math.min(wanted.getAsInt() + SPARE, MOST);
  }

  /** After the preparer. */
  @Override
  public void close() {
    ready.forEach(PreparedRoot::close);
    ready.clear();
    try {
      trash.take(layout.prepared());
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot empty " + layout.prepared() + ": " + e);
    }
  }
}
