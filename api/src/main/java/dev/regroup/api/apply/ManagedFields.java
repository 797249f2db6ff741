package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.apply.ManagerId.Operation;
import dev.regroup.api.tree.Trees;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code metadata.managedFields} of one object while it is worked on: who owns what, since when.
 */
final class ManagedFields {
  /** Of more managers that update than this the oldest become one, as in Kubernetes. */
  private static final int MOST_UPDATERS = 10;

  private static final String OLDEST = "ancient-changes";
  private static final String FIELDS_V1 = "FieldsV1";

  private final Map<ManagerId, Ownership> owners = new TreeMap<>();

  /** What one manager owns. Stored sets are read only when somebody has to look into them. */
  private static final class Ownership {
    private final @Nullable JsonNode wire;
    private @Nullable FieldSet fields;
    private final String apiVersion;

    /** Of its last write that changed something; empty when there was none. */
    private final String time;

    private Ownership(
        @Nullable JsonNode wire, @Nullable FieldSet fields, String apiVersion, String time) {
      this.wire = wire;
      this.fields = fields;
      this.apiVersion = apiVersion;
      this.time = time;
    }

    private FieldSet fields() {
      if (fields == null) {
        fields = FieldSet.ofStored(Objects.requireNonNull(wire));
      }
      return fields;
    }

    private JsonNode write() {
      return wire != null ? wire : fields().write();
    }

    private boolean meets(FieldSet other) {
      return wire != null ? other.meets(wire) : !fields().intersection(other).isEmpty();
    }

    private boolean has(FieldSet other) {
      return wire != null ? other.isWithin(wire) : other.minus(fields()).isEmpty();
    }

    private Ownership of(FieldSet others) {
      return new Ownership(null, others, apiVersion, time);
    }

    private Ownership at(String now) {
      return new Ownership(wire, fields, apiVersion, now);
    }
  }

  /** Reads what a client wrote; nothing there means that nobody owns anything. */
  static ManagedFields read(JsonNode entries) throws BadFields {
    var managed = readEntries(entries);
    for (var owner : managed.owners.entrySet()) {
      var wire = Objects.requireNonNull(owner.getValue().wire);
      owner.setValue(owner.getValue().of(FieldSet.read(wire)));
    }
    return managed;
  }

  private static ManagedFields readEntries(JsonNode entries) throws BadFields {
    var managed = new ManagedFields();
    for (var entry : entries) {
      var version = Trees.text(entry, "apiVersion");
      if (version.isEmpty() || !Trees.text(entry, "fieldsType").equals(FIELDS_V1)) {
        throw new BadFields("an entry of managedFields without version or type");
      }
      var id =
          new ManagerId(
              Trees.text(entry, "manager"),
              operation(Trees.text(entry, "operation")),
              version,
              Trees.text(entry, "subresource"));
      var fields = entry.get("fieldsV1");
      managed.owners.put(
          id,
          new Ownership(
              fields == null ? Wire.object() : fields, null, version, Trees.text(entry, "time")));
    }
    return managed;
  }

  private static Operation operation(String name) throws BadFields {
    for (var one : Operation.values()) {
      if (one.wireName().equals(name)) {
        return one;
      }
    }
    throw new BadFields("no operation: " + name);
  }

  /** What is stored; what cannot be read says nothing. */
  static ManagedFields ofStored(JsonNode entries) {
    try {
      return readEntries(entries);
    } catch (BadFields e) {
      return new ManagedFields();
    }
  }

  boolean isEmpty() {
    return owners.isEmpty();
  }

  List<ManagerId> managers() {
    return List.copyOf(owners.keySet());
  }

  FieldSet fields(ManagerId manager) {
    var owned = owners.get(manager);
    return owned == null ? FieldSet.EMPTY : owned.fields();
  }

  /** What anybody owns. */
  FieldSet all() {
    return owners.values().stream().map(Ownership::fields).reduce(FieldSet.EMPTY, FieldSet::union);
  }

  /** The manager owns this and nothing else; owning nothing it is no manager. */
  void set(ManagerId manager, FieldSet fields, String apiVersion) {
    if (fields.isEmpty()) {
      owners.remove(manager);
      return;
    }
    var before = owners.get(manager);
    owners.put(manager, new Ownership(null, fields, apiVersion, before == null ? "" : before.time));
  }

  /** The manager owns these, too. */
  void add(ManagerId manager, FieldSet fields, String apiVersion) {
    var owned = owners.get(manager);
    if (owned == null) {
      set(manager, fields, apiVersion);
    } else if (!owned.has(fields)) {
      owners.put(manager, owned.of(owned.fields().union(fields)));
    }
  }

  /** The manager owns these no more. */
  void release(ManagerId manager, FieldSet fields) {
    var owned = owners.get(manager);
    if (owned != null && owned.meets(fields)) {
      set(manager, owned.fields().minus(fields), owned.apiVersion);
    }
  }

  /** The manager wrote something just now. */
  void touch(ManagerId manager, String now) {
    owners.computeIfPresent(manager, (_, owned) -> owned.at(now));
  }

  /** Makes the oldest of too many updaters one, version by version. */
  void limit() {
    var updaters =
        owners.keySet().stream()
            .filter(id -> id.operation() == Operation.UPDATE)
            .sorted(Comparator.comparing(this::time).thenComparing(Comparator.naturalOrder()))
            .toList();
    int left = updaters.size();
    var firsts = new HashMap<String, ManagerId>();
    for (var updater : updaters) {
      if (left <= MOST_UPDATERS) {
        return;
      }
      var owned = owners.get(updater);
      if (owned == null) {
        continue;
      }
      var first = firsts.putIfAbsent(owned.apiVersion, updater);
      if (first == null) {
        continue;
      }
      var bucket = new ManagerId(OLDEST, Operation.UPDATE, owned.apiVersion, "");
      var older = owners.remove(owners.containsKey(bucket) ? bucket : first);
      owners.remove(updater);
      var fields = older == null ? owned.fields() : older.fields().union(owned.fields());
      owners.put(bucket, owned.of(fields));
      left--;
    }
  }

  private String time(ManagerId manager) {
    var owned = owners.get(manager);
    return owned == null ? "" : owned.time;
  }

  /** The wire form: applied configurations first, older ones before newer. */
  ArrayNode write() {
    ArrayNode entries = JsonNodeFactory.instance.arrayNode(owners.size());
    Comparator<Map.Entry<ManagerId, Ownership>> order =
        Comparator.comparing(one -> one.getKey().operation());
    owners.entrySet().stream()
        .sorted(order.thenComparing(one -> one.getValue().time)) // the map's order decides then
        .map(one -> entry(one.getKey(), one.getValue()))
        .forEach(entries::add);
    return entries;
  }

  private static ObjectNode entry(ManagerId id, Ownership owned) {
    ObjectNode entry = Wire.object();
    entry.put("manager", id.name());
    entry.put("operation", id.operation().wireName());
    entry.put("apiVersion", owned.apiVersion);
    if (!owned.time.isEmpty()) {
      entry.put("time", owned.time);
    }
    entry.put("fieldsType", FIELDS_V1);
    entry.set("fieldsV1", owned.write());
    if (!id.subresource().isEmpty()) {
      entry.put("subresource", id.subresource());
    }
    return entry;
  }
}
