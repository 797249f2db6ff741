package dev.regroup.server.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.apply.ApplyConflict;
import dev.regroup.api.apply.FieldManager;
import dev.regroup.api.apply.FieldManager.Force;
import dev.regroup.api.apply.FieldManager.Writing;
import dev.regroup.api.apply.FieldSet;
import dev.regroup.api.apply.NotOfKind;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.body.Call;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who manages which fields of an object. Every create and change passes here once, before
 * admission; only here {@code metadata.managedFields} is written.
 */
public final class FieldManagement {
  private static final String MANAGED_FIELDS = "managedFields";
  private static final String STATUS = "status";
  private static final FieldSet NOTHING = FieldSet.EMPTY;
  private static final FieldSet OF_STATUS = FieldManager.parts(List.of(List.of(STATUS)));
  private static final FieldSet OF_CUSTOM_OBJECT =
      FieldManager.parts(List.of(List.of("spec"), List.of("metadata")));
  private static final FieldSet OF_OBJECT =
      FieldManager.parts(
          List.of(
              List.of("spec"),
              List.of("metadata", "deletionTimestamp"),
              List.of("metadata", "ownerReferences")));

  private final Tracking tracking;
  private final Function<Review, ObjectNode> defaults;
  private final InstantSource clock;

  /** Whose books are kept. */
  public enum Tracking {
    /** Of objects that somebody has applied. */
    APPLIED,
    /** Of all objects, from their creation on, as Kubernetes does. */
    ALL
  }

  /**
   * @param defaults gives the object of a write with its defaults; what they fill in belongs to the
   *     writer, too
   */
  public FieldManagement(
      Tracking tracking, Function<Review, ObjectNode> defaults, InstantSource clock) {
    this.tracking = tracking;
    this.defaults = defaults;
    this.clock = clock;
  }

  /**
   * Notes the change in {@code next}.
   *
   * @param call names the manager, and the part of the object it writes
   * @param old what is stored; null for a new object
   */
  void note(
      Call call,
      ResourceType type,
      Operation operation,
      @Nullable ObjectNode old,
      ObjectNode next) {
    if (old == null && tracking == Tracking.APPLIED) {
      Meta.of(next).remove(MANAGED_FIELDS);
      return;
    }
    manager(call, type)
        .update(old, next, defaulted(type, operation, old, next), writing(call, type, operation));
  }

  /** Custom resources have no defaults of their own here: what admission adds is nobody's. */
  private ObjectNode defaulted(
      ResourceType type, Operation operation, @Nullable ObjectNode old, ObjectNode next) {
    boolean complete =
        type.has(Trait.CUSTOM)
            || operation == Operation.UPDATE_STATUS
            || (old != null && differOnlyInMetadata(old, next));
    return complete ? next : defaults.apply(new Review(type.kind(), operation, next, old));
  }

  private static boolean differOnlyInMetadata(ObjectNode old, ObjectNode next) {
    if (old.size() != next.size()) {
      return false;
    }
    for (var entry : old.properties()) {
      boolean same =
          entry.getKey().equals("metadata") || entry.getValue().equals(next.get(entry.getKey()));
      if (!same) {
        return false;
      }
    }
    return true;
  }

  /**
   * What is stored after the configuration is applied, before defaults and admission.
   *
   * @param live null when nothing is stored yet
   */
  ObjectNode apply(
      Call call,
      ResourceType type,
      Operation operation,
      @Nullable ObjectNode live,
      ObjectNode configuration)
      throws Refused {
    checkType(type.kind(), configuration);
    if (configuration.path("metadata").has(MANAGED_FIELDS)) {
      throw Refused.badRequest("metadata.managedFields must be nil");
    }
    var force = WriteParameters.force(call.query()) ? Force.YES : Force.NO;
    try {
      return manager(call, type).apply(live, configuration, force, writing(call, type, operation));
    } catch (NotOfKind e) {
      throw new Refused(
          Status.plainError(
              "failed to create typed patch object (%s/%s; %s): %s"
                  .formatted(
                      Meta.text(configuration, "namespace"),
                      Trees.text(configuration, "metadata", "name"),
                      printed(type.kind()),
                      e.getMessage())));
    } catch (ApplyConflict e) {
      var causes =
          e.conflicts().stream()
              .map(one -> new Status.Cause("FieldManagerConflict", one.text(), one.path()))
              .toList();
      throw new Refused(
          new Status(
              409,
              Status.Reason.CONFLICT,
              String.valueOf(e.getMessage()),
              new Status.Details("", "", "", causes)));
    }
  }

  private static void checkType(GroupVersionKind kind, ObjectNode configuration) throws Refused {
    var given =
        GroupVersionKind.of(
            configuration.path("apiVersion").asText(""), configuration.path("kind").asText(""));
    if (!given.equals(kind)) {
      throw Refused.badRequest("invalid object type: " + printed(given));
    }
  }

  private static String printed(GroupVersionKind kind) {
    return "%s/%s, Kind=%s".formatted(kind.group(), kind.version(), kind.kind());
  }

  /**
   * Whether nothing has happened: the same object, but for times in the books.
   *
   * @param next as it would be stored; given the old books when that makes it equal
   */
  static boolean isUnchanged(ObjectNode old, ObjectNode next) {
    var before = old.path("metadata").path(MANAGED_FIELDS);
    var after = next.path("metadata").path(MANAGED_FIELDS);
    if (before.equals(after) || !isSameButTimes(before, after)) {
      return next.equals(old);
    }
    var metadata = Meta.of(next);
    metadata.set(MANAGED_FIELDS, before);
    if (next.equals(old)) {
      return true;
    }
    metadata.set(MANAGED_FIELDS, after);
    return false;
  }

  private static boolean isSameButTimes(JsonNode before, JsonNode after) {
    if (before.size() != after.size()) {
      return false;
    }
    for (int i = 0; i < after.size(); i++) {
      for (var entry : after.path(i).properties()) {
        boolean same =
            entry.getKey().equals("time")
                || entry.getValue().equals(before.path(i).get(entry.getKey()));
        if (!same) {
          return false;
        }
      }
    }
    return true;
  }

  private static FieldManager manager(Call call, ResourceType type) {
    return new FieldManager(call.kinds().ofStored(), type.kind());
  }

  private Writing writing(Call call, ResourceType type, Operation operation) {
    return new Writing(
        name(call),
        call.info().subresource(),
        Meta.stamp(clock.instant()),
        ignored(type, operation));
  }

  /** What a write through this address cannot change. */
  private static FieldSet ignored(ResourceType type, Operation operation) {
    return switch (operation) {
      case CREATE, UPDATE -> type.subresource(STATUS).isPresent() ? OF_STATUS : NOTHING;
      case UPDATE_STATUS -> type.has(Trait.CUSTOM) ? OF_CUSTOM_OBJECT : OF_OBJECT;
      case UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE, DELETE, CONNECT, ACT -> NOTHING;
    };
  }

  /** What the request calls itself, or the program it comes from. */
  private static String name(Call call) {
    var name = call.query().text("fieldManager");
    if (!name.isEmpty()) {
      return name;
    }
    var program = call.request().headers().first("user-agent").orElse("");
    int end = program.indexOf('/');
    var printable = new StringBuilder();
    (end < 0 ? program : program.substring(0, end))
        .codePoints()
        .filter(WriteParameters::isPrintable)
        .limit(WriteParameters.LONGEST_MANAGER)
        .forEach(printable::appendCodePoint);
    return printable.toString();
  }
}
