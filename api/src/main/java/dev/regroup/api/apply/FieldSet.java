package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of paths in an object, kept as the tree that {@code fieldsV1} writes: the steps of a path
 * are {@linkplain PathElement elements} in their wire form, and a node is a member itself or only
 * on the way to members. Immutable; no node is empty but the root of the empty set.
 */
public final class FieldSet {
  public static final FieldSet EMPTY = new FieldSet(false, new TreeMap<>());

  private static final String SELF = ".";
  private static final FieldSet LEAF = new FieldSet(true, new TreeMap<>());

  private final boolean member;
  private final SortedMap<String, FieldSet> children;

  private FieldSet(boolean member, SortedMap<String, FieldSet> children) {
    this.member = member;
    this.children = children;
  }

  private static FieldSet of(boolean member, SortedMap<String, FieldSet> children) {
    if (children.isEmpty()) {
      return member ? LEAF : EMPTY;
    }
    return new FieldSet(member, children);
  }

  /** The set of these paths, each a list of elements. */
  @SafeVarargs
  public static FieldSet of(List<String>... paths) {
    var builder = new Builder();
    for (var path : paths) {
      var at = builder;
      for (var element : path) {
        at = at.child(element);
      }
      at.add();
    }
    return builder.build();
  }

  /**
   * Reads {@code fieldsV1}.
   *
   * @throws BadFields when it is none
   */
  public static FieldSet read(JsonNode json) throws BadFields {
    if (!json.isObject()) {
      throw new BadFields("fieldsV1 is no object");
    }
    return json.isEmpty() ? EMPTY : node(json);
  }

  /** Reads what was stored; what is no set has nothing in it. */
  static FieldSet ofStored(JsonNode json) {
    try {
      return read(json);
    } catch (BadFields e) {
      return EMPTY;
    }
  }

  private static FieldSet node(JsonNode json) throws BadFields {
    if (!json.isObject()) {
      throw new BadFields("a set of fields is no object");
    }
    if (json.isEmpty()) {
      return LEAF;
    }
    boolean self = false;
    var children = new TreeMap<String, FieldSet>();
    for (Map.Entry<String, JsonNode> entry : json.properties()) {
      if (entry.getKey().equals(SELF)) {
        self = true;
      } else {
        children.put(PathElement.canonical(entry.getKey()), node(entry.getValue()));
      }
    }
    return of(self, children);
  }

  /** The wire form, {@code fieldsV1}. */
  public ObjectNode write() {
    ObjectNode json = Wire.object();
    write(json);
    return json;
  }

  private void write(ObjectNode json) {
    children.forEach((element, child) -> {
      ObjectNode node = json.putObject(element);
      if (!child.children.isEmpty()) {
        if (child.member) {
          node.putObject(SELF);
        }
        child.write(node);
      }
    });
  }

  /** Whether a set in wire form, which nobody needs to read for that, has a path of this one. */
  boolean meets(JsonNode wire) {
    if (member && isMember(wire)) {
      return true;
    }
    for (var entry : children.entrySet()) {
      var there = wire.get(entry.getKey());
      if (there != null && entry.getValue().meets(there)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a set in wire form has all paths of this one. */
  boolean isWithin(JsonNode wire) {
    if (member && !isMember(wire)) {
      return false;
    }
    for (var entry : children.entrySet()) {
      var there = wire.get(entry.getKey());
      if (there == null || !entry.getValue().isWithin(there)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isMember(JsonNode wire) {
    return wire.isEmpty() || wire.has(SELF);
  }

  public boolean isEmpty() {
    return !member && children.isEmpty();
  }

  /** Whether the path that ends here is in the set. */
  boolean isMember() {
    return member;
  }

  /** What the set has below one element. */
  FieldSet child(String element) {
    return children.getOrDefault(element, EMPTY);
  }

  Map<String, FieldSet> children() {
    return Collections.unmodifiableMap(children);
  }

  public FieldSet union(FieldSet other) {
    if (other.isEmpty()) {
      return this;
    }
    if (isEmpty()) {
      return other;
    }
    var all = new TreeMap<>(children);
    other.children.forEach((element, child) -> all.merge(element, child, FieldSet::union));
    return of(member || other.member, all);
  }

  /** The paths that are in both. */
  public FieldSet intersection(FieldSet other) {
    var both = new TreeMap<String, FieldSet>();
    children.forEach((element, child) -> {
      var common = child.intersection(other.child(element));
      if (!common.isEmpty()) {
        both.put(element, common);
      }
    });
    return of(member && other.member, both);
  }

  /** The paths that the other does not have; what lies below a path of the other stays. */
  public FieldSet minus(FieldSet other) {
    return difference(other, false);
  }

  /** The paths that are neither in the other nor below a path of it. */
  public FieldSet outside(FieldSet other) {
    return difference(other, true);
  }

  /** The very same set where nothing is taken away. */
  @SuppressWarnings("ReferenceEquality") // unchanged parts are shared, and found by that
  private FieldSet difference(FieldSet other, boolean deep) {
    if (other.isEmpty() || isEmpty()) {
      return this;
    }
    if (deep && other.member) {
      return EMPTY;
    }
    TreeMap<String, FieldSet> rest = null;
    for (var entry : other.children.entrySet()) {
      var mine = children.get(entry.getKey());
      if (mine == null) {
        continue;
      }
      var left = mine.difference(entry.getValue(), deep);
      if (left != mine) {
        rest = rest == null ? new TreeMap<>(children) : rest;
        if (left.isEmpty()) {
          rest.remove(entry.getKey());
        } else {
          rest.put(entry.getKey(), left);
        }
      }
    }
    boolean stays = member && !other.member;
    return rest == null && stays == member ? this : of(stays, rest == null ? children : rest);
  }

  /** The paths as Kubernetes prints them: those that end here first, then those that go on. */
  public List<String> paths() {
    var paths = new ArrayList<String>();
    paths("", paths);
    return paths;
  }

  private void paths(String prefix, List<String> into) {
    children.forEach((element, child) -> {
      if (child.member) {
        into.add(prefix + PathElement.text(element));
      }
    });
    children.forEach((element, child) -> {
      if (!child.children.isEmpty()) {
        child.paths(prefix + PathElement.text(element), into);
      }
    });
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FieldSet set && member == set.member && children.equals(set.children);
  }

  @Override
  public int hashCode() {
    return 31 * Boolean.hashCode(member) + children.hashCode();
  }

  @Override
  public String toString() {
    return paths().toString();
  }

  /** A set that a walk fills while it goes down. */
  static final class Builder {
    private boolean member;
    private final SortedMap<String, Builder> children = new TreeMap<>();

    /** Where the paths through this element are collected. */
    Builder child(String element) {
      return children.computeIfAbsent(element, _ -> new Builder());
    }

    /** The path that ends here is in the set. */
    void add() {
      member = true;
    }

    FieldSet build() {
      var built = new TreeMap<String, FieldSet>();
      children.forEach((element, child) -> {
        var set = child.build();
        if (!set.isEmpty()) {
          built.put(element, set);
        }
      });
      return of(member, built);
    }
  }
}
