package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.apply.ManagerId.Operation;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the books of one kind: who manages which fields. An update takes what it changes from
 * everybody; an applied configuration owns what it says, is refused where others own it with
 * another value, and loses what it no longer says.
 *
 * <p>The steps of an apply: check the configuration, lay it over the object, take out what it said
 * before and nobody owns now, compare with the object, find conflicts, move ownership.
 */
public final class FieldManager {
  private static final String MANAGED_FIELDS = "managedFields";
  private static final String BEFORE = "before-first-apply";

  /** Facts of an object that nobody manages. */
  private static final FieldSet UNMANAGED =
      FieldSet.of(
          path("apiVersion"),
          path("kind"),
          path("metadata"),
          path("metadata", "name"),
          path("metadata", "namespace"),
          path("metadata", "creationTimestamp"),
          path("metadata", "selfLink"),
          path("metadata", "uid"),
          path("metadata", "clusterName"),
          path("metadata", "generation"),
          path("metadata", MANAGED_FIELDS),
          path("metadata", "resourceVersion"));

  private final Schema schema;
  private final GroupVersionKind kind;
  private final Definition definition;

  /**
   * One write.
   *
   * @param manager its name
   * @param subresource empty for the object itself
   * @param now in the form of a time stamp
   * @param ignored fields this write cannot change, whatever it says
   */
  public record Writing(String manager, String subresource, String now, FieldSet ignored) {}

  /** What an apply does about fields that others own. */
  public enum Force {
    NO,
    YES
  }

  public FieldManager(Schema schema, GroupVersionKind kind) {
    this.schema = schema;
    this.kind = kind;
    this.definition = schema.kind(kind).orElseThrow();
  }

  /** A set of whole top-level parts, such as {@code status}. */
  public static FieldSet parts(List<List<String>> paths) {
    var set = FieldSet.EMPTY;
    for (var one : paths) {
      set = set.union(FieldSet.of(path(one.toArray(String[]::new))));
    }
    return set;
  }

  private static List<String> path(String... names) {
    return List.of(names).stream().map(PathElement::field).toList();
  }

  /**
   * Writes into {@code next} who manages it after an update.
   *
   * @param old what is stored; null for a new object
   * @param defaulted {@code next} with all defaults
   */
  public void update(
      @Nullable ObjectNode old, ObjectNode next, ObjectNode defaulted, Writing writing) {
    var managed = given(old, next, writing);
    boolean tracked = old == null || !managed.isEmpty();
    if (tracked) {
      var before = old == null ? empty() : old;
      var changes = changes(before, defaulted, writing);
      if (!changes.isEmpty()) {
        note(managed, changes, writing.manager(), writing);
        managed.limit();
      } else if (old != null && isUntouched(old, next)) {
        next.withObject("metadata").set(MANAGED_FIELDS, entries(old));
        return;
      }
    }
    write(managed, next);
  }

  private static boolean isUntouched(ObjectNode old, ObjectNode next) {
    var given = entries(next);
    return given.isEmpty() || given.equals(entries(old));
  }

  private static JsonNode entries(ObjectNode object) {
    return object.path("metadata").path(MANAGED_FIELDS);
  }

  /** An object as it is before anything is said about it. */
  private ObjectNode empty() {
    ObjectNode object = Wire.object();
    object.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
    return object;
  }

  /**
   * The books that come with an update: clients may correct them, and a list that is empty or holds
   * one empty entry clears them; one that says nothing leaves them as they are.
   */
  private static ManagedFields given(@Nullable ObjectNode old, ObjectNode next, Writing writing) {
    var stored = ManagedFields.ofStored(old == null ? Wire.object() : entries(old));
    if (!writing.subresource().isEmpty()) {
      return stored;
    }
    var entries = entries(next);
    if (entries.isArray() && (entries.isEmpty() || isOneEmpty(entries))) {
      return new ManagedFields();
    }
    if (old != null && entries.equals(entries(old))) {
      return stored;
    }
    try {
      var sent = ManagedFields.read(entries);
      return sent.isEmpty() ? stored : sent;
    } catch (BadFields e) {
      return stored;
    }
  }

  private static boolean isOneEmpty(JsonNode entries) {
    return entries.size() == 1 && entries.path(0).isEmpty();
  }

  private FieldChanges changes(ObjectNode before, ObjectNode after, Writing writing) {
    return FieldChanges.between(schema, definition, before, after).outside(writing.ignored());
  }

  /** What changed now belongs to the one who changed it, what is gone to nobody. */
  private void note(ManagedFields managed, FieldChanges changes, String name, Writing writing) {
    var taken = changes.changed().minus(UNMANAGED);
    var self = new ManagerId(name, Operation.UPDATE, kind.apiVersion(), writing.subresource());
    for (var one : managed.managers()) {
      managed.release(one, changes.removed());
      if (!one.equals(self)) {
        managed.release(one, changes.changed());
      }
    }
    if (taken.isEmpty()) {
      return;
    }
    managed.add(self, taken, kind.apiVersion());
    managed.touch(self, writing.now());
  }

  private static void write(ManagedFields managed, ObjectNode object) {
    var metadata = Trees.child(object, "metadata");
    if (managed.isEmpty()) {
      metadata.remove(MANAGED_FIELDS);
    } else {
      metadata.set(MANAGED_FIELDS, managed.write());
    }
  }

  /**
   * The object after the configuration is applied, in the form clients write, without defaults; the
   * given trees are not changed.
   *
   * @param live what is stored; null when there is nothing yet
   */
  public ObjectNode apply(
      @Nullable ObjectNode live, ObjectNode configuration, Force force, Writing writing)
      throws ApplyConflict, NotOfKind {
    var problems = ConfigurationCheck.of(schema, definition, configuration);
    if (!problems.isEmpty()) {
      throw new NotOfKind(
          problems.size() == 1
              ? problems.getFirst()
              : "errors:\n  " + String.join("\n  ", problems));
    }
    var object = live == null ? empty() : live;
    var managed = ManagedFields.ofStored(entries(object));
    if (live != null && managed.isEmpty()) {
      note(managed, changes(empty(), live, writing), BEFORE, writing);
    }
    return new Applying(object, configuration, managed, writing).perform(force);
  }

  /** One apply while it is worked on. */
  private final class Applying {
    private final ObjectNode live;
    private final ObjectNode configuration;
    private final ManagedFields managed;
    private final Writing writing;
    private final ManagerId self;

    private Applying(
        ObjectNode live, ObjectNode configuration, ManagedFields managed, Writing writing) {
      this.live = live;
      this.configuration = configuration;
      this.managed = managed;
      this.writing = writing;
      this.self =
          new ManagerId(
              writing.manager(), Operation.APPLY, kind.apiVersion(), writing.subresource());
    }

    private ObjectNode perform(Force force) throws ApplyConflict {
      var last = managed.fields(self);
      var applied = OwnedFields.of(schema, definition, configuration).outside(writing.ignored());
      managed.set(self, applied, kind.apiVersion());
      var merged =
          Pruning.prune(
              schema,
              definition,
              ConfigurationMerge.of(schema, definition, live, configuration),
              last,
              managed.all());
      var changes = changes(live, merged, writing);
      if (force == Force.NO) {
        refuseConflicts(changes.changed());
      }
      for (var other : managed.managers()) {
        if (!other.equals(self)) {
          managed.release(other, changes.changed());
          managed.release(other, changes.removed());
        }
      }
      managed.set(self, applied.minus(UNMANAGED), kind.apiVersion());
      var result = live;
      if (!changes.isEmpty()) {
        result = merged;
        managed.touch(self, writing.now());
      }
      var done = result.deepCopy();
      LastApplied.follow(done, configuration, writing.manager());
      write(managed, done);
      return done;
    }

    private void refuseConflicts(FieldSet changed) throws ApplyConflict {
      var yielding = LastApplied.yielding(schema, definition, live, writing.manager());
      var conflicts = new ArrayList<ApplyConflict.Conflict>();
      for (var other : managed.managers()) {
        if (!other.equals(self)) {
          managed.fields(other).intersection(changed).minus(yielding).paths().stream()
              .map(path -> new ApplyConflict.Conflict(other.text(), path))
              .forEach(conflicts::add);
        }
      }
      if (!conflicts.isEmpty()) {
        throw new ApplyConflict(conflicts);
      }
    }
  }
}
