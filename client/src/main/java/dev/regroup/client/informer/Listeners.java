package dev.regroup.client.informer;

import dev.regroup.client.Backoff;
import dev.regroup.client.Joins;
import dev.regroup.client.ObjectKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of one informer. Each is told of every change in order, one call at a time. One
 * that fails at an object is told of that object again, with growing pauses and with every later
 * change of it, until it does not fail: what it is told always begins where it last succeeded. So a
 * failure delays one object for one listener, and nothing is ever left out.
 */
final class Listeners<S> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  /** One listener, and of each object it failed at what it knows: empty if nothing. */
  private record Listener<S>(
      Consumer<? super Delta<S>> told, Map<ObjectKey, Optional<Item<S>>> behind) {}

  private final String plural;
  private final Function<ObjectKey, Optional<Item<S>>> now;
  private final Backoff backoff;
  private final List<Listener<S>> listeners = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock(); // a change and the telling are one
  private @Nullable Thread again; // guarded by lock; only while somebody is behind
  private boolean closed; // guarded by lock

  /**
   * Makes it.
   *
   * @param now what the cache has
   */
  Listeners(String plural, Function<ObjectKey, Optional<Item<S>>> now, Backoff backoff) {
    this.plural = plural;
    this.now = now;
    this.backoff = backoff;
  }

  void add(Consumer<? super Delta<S>> listener) {
    listeners.add(new Listener<>(listener, new LinkedHashMap<>()));
  }

  /** Changes the cache and tells everybody. */
  void tell(Delta<S> delta, Runnable change) {
    lock.lock();
    try {
      change.run();
      for (var listener : listeners) {
        var known = listener.behind().getOrDefault(delta.key(), delta.old());
        catchUp(listener, delta.key(), known, delta.now());
      }
    } finally {
      lock.unlock();
    }
  }

  private void catchUp(
      Listener<S> listener, ObjectKey key, Optional<Item<S>> known, Optional<Item<S>> wanted) {
    var reached = known;
    try {
      for (var delta : deltas(known, wanted)) {
        listener.told().accept(delta);
        reached = delta.now();
      }
      listener.behind().remove(key);
    } catch (VirtualMachineError e) {
      throw e; // nobody can go on
    } catch (Throwable e) { // an error of one listener must not end what all others live from
      if (listener.behind().put(key, reached) == null) {
        LOG.error("A listener of {} failed at {} and is told again", plural, key, e);
      } else {
        LOG.debug("A listener of {} failed at {} again", plural, key, e);
      }
      tellAgain();
    }
  }

  private static <S> List<Delta<S>> deltas(Optional<Item<S>> known, Optional<Item<S>> wanted) {
    var deltas = new ArrayList<Delta<S>>();
    boolean same =
        known.isPresent() && wanted.isPresent() && known.get().uid().equals(wanted.get().uid());
    if (same && !known.get().resourceVersion().equals(wanted.get().resourceVersion())) {
      deltas.add(new Delta.Updated<>(known.get(), wanted.get()));
    } else if (!same) {
      known.ifPresent(item -> deltas.add(new Delta.Removed<>(item)));
      wanted.ifPresent(item -> deltas.add(new Delta.Added<>(item)));
    }
    return deltas;
  }

  private void tellAgain() {
    if (again == null && !closed) {
      again = Thread.ofVirtual().name("informer-" + plural + "-again").start(this::run);
    }
  }

  private void run() {
    try {
      do {
        Thread.sleep(backoff.next());
      } while (!caughtUp());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() was called
    }
  }

  /** Tries everything that failed; when nothing does, this thread has nothing to do any more. */
  private boolean caughtUp() {
    lock.lock();
    try {
      boolean behind = false;
      for (var listener : listeners) {
        for (var entry : List.copyOf(listener.behind().entrySet())) {
          catchUp(listener, entry.getKey(), entry.getValue(), now.apply(entry.getKey()));
        }
        behind |= !listener.behind().isEmpty();
      }
      if (!behind) {
        backoff.reset();
        again = null;
      }
      return !behind;
    } finally {
      lock.unlock();
    }
  }

  /** Nobody is told again from here on. */
  @Override
  public void close() {
    Thread running;
    lock.lock();
    try {
      closed = true;
      running = again;
    } finally {
      lock.unlock();
    }
    if (running != null && !running.equals(Thread.currentThread())) {
      running.interrupt();
      Joins.uninterruptibly(running);
    }
  }
}
