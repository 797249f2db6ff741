package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.objects.DeleteParameters.Propagation;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Decides what a delete makes of an object: gone at once, or marked and kept until somebody has
 * done their part (finalizers, the node of a pod). Pure.
 *
 * @param object what is stored, or the last picture of what goes
 */
record Deletion(Kind kind, ObjectNode object) {

  private static final String ORPHAN = "orphan";
  private static final String FOREGROUND = "foregroundDeletion";

  enum Kind {
    /** Remove it now. */
    REMOVE,
    /** Store the mark. */
    MARK,
    /** It is marked already and this request adds nothing. */
    NOTHING_NEW
  }

  static Deletion of(ResourceType type, ObjectNode stored, DeleteParameters options, Instant now) {
    var object = stored.deepCopy();
    if (isNamespace(type)) {
      return ofNamespace(object, options, now);
    }
    boolean graceful = type.has(Trait.GRACEFUL_DELETION);
    if (graceful && !startGrace(object, options, now)) {
      return new Deletion(Kind.NOTHING_NEW, object);
    }
    addOwnersFinalizer(object, options);
    if (!Meta.finalizers(object).isEmpty()) {
      mark(object, now);
      return new Deletion(object.equals(stored) ? Kind.NOTHING_NEW : Kind.MARK, object);
    }
    boolean wait =
        graceful && object.path("metadata").path("deletionGracePeriodSeconds").asLong() > 0;
    return new Deletion(wait ? Kind.MARK : Kind.REMOVE, object);
  }

  /** Whether a marked object has nothing left that keeps it. */
  static boolean finished(ResourceType type, ObjectNode object) {
    return Meta.deleted(object)
        && Meta.finalizers(object).isEmpty()
        && object.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0
        && !(isNamespace(type) && !object.path("spec").path("finalizers").isEmpty());
  }

  private static boolean isNamespace(ResourceType type) {
    return type.kind().group().isEmpty() && type.kind().kind().equals("Namespace");
  }

  /** A namespace empties itself first; its finalizer stands in its spec. */
  private static Deletion ofNamespace(ObjectNode object, DeleteParameters options, Instant now) {
    if (Meta.deleted(object)) {
      boolean done = finishedNamespace(object);
      return new Deletion(done ? Kind.REMOVE : Kind.NOTHING_NEW, object);
    }
    addOwnersFinalizer(object, options);
    Meta.of(object).put("deletionTimestamp", Meta.stamp(now));
    status(object).put("phase", "Terminating");
    return new Deletion(finishedNamespace(object) ? Kind.REMOVE : Kind.MARK, object);
  }

  private static boolean finishedNamespace(ObjectNode object) {
    return Meta.finalizers(object).isEmpty() && object.path("spec").path("finalizers").isEmpty();
  }

  private static ObjectNode status(ObjectNode object) {
    return object.get("status") instanceof ObjectNode status ? status : object.putObject("status");
  }

  /**
   * Sets or shortens the time a pod gets. An unbound or finished pod needs none (TERM-02).
   *
   * @return false when the pod is already going and no time is taken away
   */
  private static boolean startGrace(ObjectNode pod, DeleteParameters options, Instant now) {
    var metadata = Meta.of(pod);
    if (Meta.deleted(pod)) {
      long granted = metadata.path("deletionGracePeriodSeconds").asLong();
      if (options.gracePeriod().isEmpty() || options.gracePeriod().getAsLong() >= granted) {
        return granted == 0;
      }
      long period = Math.max(0, options.gracePeriod().getAsLong());
      var due =
          Instant.parse(Meta.text(pod, "deletionTimestamp"))
              .minus(Duration.ofSeconds(granted))
              .plus(Duration.ofSeconds(period));
      metadata.put("deletionTimestamp", Meta.stamp(due));
      Meta.put(metadata, "deletionGracePeriodSeconds", period);
      return true;
    }
    long period = grace(pod, options);
    metadata.put("deletionTimestamp", Meta.stamp(now.plus(Duration.ofSeconds(period))));
    Meta.put(metadata, "deletionGracePeriodSeconds", period);
    nextGeneration(metadata);
    return true;
  }

  private static long grace(ObjectNode pod, DeleteParameters options) {
    var phase = pod.path("status").path("phase").asText();
    boolean nobodyWaits =
        pod.path("spec").path("nodeName").asText("").isEmpty()
            || phase.equals("Succeeded")
            || phase.equals("Failed");
    if (nobodyWaits) {
      return 0;
    }
    long period =
        options
            .gracePeriod()
            .orElse(pod.path("spec").path("terminationGracePeriodSeconds").asLong(0));
    return period < 0 ? 1 : period;
  }

  private static void mark(ObjectNode object, Instant now) {
    var metadata = Meta.of(object);
    if (!Meta.deleted(object)) {
      metadata.put("deletionTimestamp", Meta.stamp(now));
      metadata.put("deletionGracePeriodSeconds", 0);
      nextGeneration(metadata);
    }
  }

  private static void nextGeneration(ObjectNode metadata) {
    long generation = metadata.path("generation").asLong();
    if (generation > 0) {
      Meta.put(metadata, "generation", generation + 1);
    }
  }

  /** Orphan and foreground deletion are work of the garbage collector, asked for by finalizers. */
  private static void addOwnersFinalizer(ObjectNode object, DeleteParameters options) {
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
