package dev.regroup.control.owners;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who owns whom, kept up to date event by event. A change costs as much as the relations of the
 * objects it touches, never a walk over all.
 *
 * <p>Shared by the informers that feed it and the workers that ask; every method holds the lock for
 * the time of a few map look-ups.
 */
public final class OwnerGraph {

  private final Map<String, Thing> things = new HashMap<>();
  private final Map<String, Set<String>> dependents = new HashMap<>();
  private final Map<String, Integer> perNamespace = new HashMap<>();
  private final Set<String> alone = new HashSet<>(); // await dependents, none was ever seen

  /** What one object needs now. */
  public sealed interface Work {
    record Nothing() implements Work {}

    /** None of its owners is known: confirm that, then delete it. */
    record DeleteIfOwnersAreGone(Thing thing) implements Work {}

    /** Its owner is deleted in the foreground and waits for it. */
    record DeleteForOwner(Thing thing) implements Work {}

    /**
     * Its owner waits for it, and it would wait for a dependent that waits, too: perhaps for its
     * owner, in a circle. It must not hold its owners up any more.
     */
    record Unblock(Thing thing) implements Work {}

    /**
     * It waits for dependents and has none, as far as is known: they are announced by other watches
     * than it is, and may be on their way. Look again in a moment, after {@link #lookedAgain}.
     */
    record LookAgain() implements Work {}

    /** Nothing that it waited for is left: take this finalizer off. */
    record RemoveFinalizer(Thing thing, String finalizer) implements Work {}

    /**
     * Take the reference to it off its dependents, then its finalizer. Which ones they are the
     * server knows: one that is not known here yet would be deleted after its owner, not kept.
     */
    record Orphan(Thing thing) implements Work {}
  }

  /** Notes a new or changed object; returns the uids that should be looked at. */
  public synchronized List<String> put(Thing thing) {
    var look = new ArrayList<String>();
    var old = things.put(thing.uid(), thing);
    if (old == null) {
      perNamespace.merge(thing.namespace(), 1, Integer::sum);
    } else {
      unlink(old);
      old.owners().forEach(owner -> look.add(owner.uid())); // it may no longer block them
    }
    for (var owner : thing.owners()) {
      dependents.computeIfAbsent(owner.uid(), _ -> new HashSet<>()).add(thing.uid());
    }
    look.add(thing.uid());
    if (thing.awaitsDependents() && (old == null || !old.awaitsDependents())) {
      var waitedFor = dependents.getOrDefault(thing.uid(), Set.of());
      look.addAll(waitedFor);
      if (waitedFor.isEmpty()) {
        alone.add(thing.uid());
      }
    }
    return look;
  }

  /** Notes that an object is gone; returns the uids that should be looked at. */
  public synchronized List<String> remove(String uid) {
    var old = things.remove(uid);
    if (old == null) {
      return List.of();
    }
    alone.remove(uid);
    perNamespace.computeIfPresent(old.namespace(), (_, n) -> n == 1 ? null : n - 1);
    unlink(old);
    var look = new ArrayList<>(dependents.getOrDefault(uid, Set.of()));
    old.owners().forEach(owner -> look.add(owner.uid())); // one of them may wait for it
    return look;
  }

  public synchronized Work work(String uid) {
    var thing = things.get(uid);
    if (thing == null) {
      return new Work.Nothing();
    }
    if (thing.orphansDependents()) {
      return new Work.Orphan(thing);
    }
    if (thing.awaitsDependents()) {
      if (alone.contains(uid) && !dependents.containsKey(uid)) {
        return new Work.LookAgain();
      }
      boolean blocked = dependentsOf(uid).stream().anyMatch(dependent -> dependent.blocks(uid));
      return blocked ? new Work.Nothing() : new Work.RemoveFinalizer(thing, Thing.FOREGROUND);
    }
    if (thing.deleting() || thing.owners().isEmpty()) {
      return new Work.Nothing();
    }
    boolean waitedFor = false;
    for (var owner : thing.owners()) {
      var known = things.get(owner.uid());
      if (known != null && !known.awaitsDependents()) {
        return new Work.Nothing(); // one living owner is enough
      }
      waitedFor |= known != null;
    }
    if (!waitedFor) {
      return new Work.DeleteIfOwnersAreGone(thing);
    }
    return thing.blocks() && dependentsOf(uid).stream().anyMatch(Thing::awaitsDependents)
        ? new Work.Unblock(thing)
        : new Work.DeleteForOwner(thing);
  }

  /** What is not known of its dependents by now need not be waited for. */
  public synchronized void lookedAgain(String uid) {
    alone.remove(uid);
  }

  public synchronized boolean hasDependents(String uid) {
    return dependents.containsKey(uid);
  }

  /** How many objects a namespace holds. */
  public synchronized int inNamespace(String namespace) {
    return perNamespace.getOrDefault(namespace, 0);
  }

  private List<Thing> dependentsOf(String uid) {
    var found = new ArrayList<Thing>();
    for (String dependent : dependents.getOrDefault(uid, Collections.emptySet())) {
      var thing = things.get(dependent);
      if (thing != null) {
        found.add(thing);
      }
    }
    return found;
  }

  private void unlink(Thing thing) {
    for (var owner : thing.owners()) {
      dependents.computeIfPresent(
          owner.uid(),
          (_, of) -> {
            of.remove(thing.uid());
            return of.isEmpty() ? null : of;
          });
    }
  }
}
