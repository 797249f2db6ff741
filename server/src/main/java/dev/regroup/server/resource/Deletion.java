package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.DeleteParameters;
import dev.regroup.server.wire.DeleteParameters.Propagation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Decides what a delete makes of an object: gone at once, or marked and kept until somebody has
 * done their part (finalizers, the node of a pod). Pure.
 *
 * @param object what is stored, or the last picture of what goes
 */
public record Deletion(Kind kind, ObjectNode object) {

  private static final String ORPHAN = "orphan";
  private static final String FOREGROUND = "foregroundDeletion";

  public enum Kind {
    /** Remove it now. */
    REMOVE,
    /** Store the mark. */
    MARK,
    /** It is marked already and this request adds nothing. */
    NOTHING_NEW
  }

  /** What nearly all kinds do: gone at once, unless finalizers keep it. */
  static Deletion standard(ObjectNode stored, DeleteParameters options, Instant now) {
    return standard(stored, stored.deepCopy(), options, now);
  }

  /**
   * The same for an object that its kind has prepared.
   *
   * @param object a changed copy of what is stored
   */
  static Deletion standard(
      ObjectNode stored, ObjectNode object, DeleteParameters options, Instant now) {
    addOwnersFinalizer(object, options);
    if (!Meta.finalizers(object).isEmpty()) {
      mark(object, now);
      return new Deletion(object.equals(stored) ? Kind.NOTHING_NEW : Kind.MARK, object);
    }
    return new Deletion(Kind.REMOVE, object);
  }

  /** Whether a marked object has nothing left that keeps it. */
  public static boolean finished(ResourceType type, ObjectNode object) {
    return Meta.deleted(object)
        && Meta.finalizers(object).isEmpty()
        && object.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0
        && !type.strategy().kept(object);
  }

  private static void mark(ObjectNode object, Instant now) {
    var metadata = Meta.of(object);
    if (!Meta.deleted(object)) {
      metadata.put("deletionTimestamp", Meta.stamp(now));
      metadata.put("deletionGracePeriodSeconds", 0);
      nextGeneration(metadata);
    }
  }

  static void nextGeneration(ObjectNode metadata) {
    long generation = metadata.path("generation").asLong();
    if (generation > 0) {
      Meta.put(metadata, "generation", generation + 1);
    }
  }

  /** Orphan and foreground deletion are work of the garbage collector, asked for by finalizers. */
  static void addOwnersFinalizer(ObjectNode object, DeleteParameters options) {
    Optional<Propagation> propagation = options.propagation();
    if (propagation.isEmpty()) {
      return;
    }
    var finalizers = new ArrayList<>(Meta.finalizers(object));
    finalizers.remove(ORPHAN);
    finalizers.remove(FOREGROUND);
    switch (propagation.get()) {
      case ORPHAN -> finalizers.add(ORPHAN);
      case FOREGROUND -> finalizers.add(FOREGROUND);
      case BACKGROUND -> {}
    }
    Meta.setFinalizers(object, finalizers);
  }
}
