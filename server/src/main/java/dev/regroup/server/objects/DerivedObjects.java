package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.resource.ResourceType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Something made of each stored object of a kind, kept as long as the object stays as it is. Asking
 * costs next to nothing while nothing changes; the first who asks after a change makes what is new,
 * the others wait for it. Any thread.
 */
public final class DerivedObjects<T> {
  private final ObjectStore objects;
  private final ResourceType type;
  private final Function<ObjectNode, T> maker;
  private volatile Snapshot<T> now = new Snapshot<>(-1, Map.of(), List.of());

  private record Made<T>(long revision, T value) {}

  private record Snapshot<T>(long changes, Map<String, Made<T>> made, List<T> values) {}

  public DerivedObjects(ObjectStore objects, ResourceType type, Function<ObjectNode, T> maker) {
    this.objects = objects;
    this.type = type;
    this.maker = maker;
  }

  /** What is made of the objects there are now, by their keys. */
  public List<T> all() {
    var seen = now;
    return seen.changes() == objects.changes(type) ? seen.values() : refreshed();
  }

  private synchronized List<T> refreshed() {
    long changes = objects.changes(type); // before looking: news from here on cause another look
    var before = now;
    if (before.changes() == changes) {
      return before.values();
    }
    var made = new HashMap<String, Made<T>>();
    var values = new ArrayList<T>();
    for (var entry : objects.list(type, "").entries()) {
      var old = before.made().get(entry.key());
      var current =
          old != null && old.revision() == entry.revision()
              ? old
              : new Made<>(entry.revision(), maker.apply(ObjectStore.tree(entry.value())));
      made.put(entry.key(), current);
      values.add(current.value());
    }
    now = new Snapshot<>(changes, made, List.copyOf(values));
    return now.values();
  }
}
