package dev.regroup.server.resource;

import dev.regroup.api.schema.Definition;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The kinds that are served now. They change while the server runs: one adds or removes a kind with
 * its definitions, and every request that begins afterwards sees the new set, as do discovery and
 * OpenAPI. Reading never waits. Objects of a removed kind stay in the store; whoever removes a kind
 * deletes them first if they shall go.
 */
public final class ServedKinds {
  private final List<Consumer<ResourceType>> listeners = new CopyOnWriteArrayList<>();
  private final IdentityHashMap<ResourceType, Set<String>> added =
      new IdentityHashMap<>(); // guarded by this
  private volatile KindSet now;

  public ServedKinds(KindSet first) {
    this.now = first;
  }

  public KindSet now() {
    return now;
  }

  /** Has the listener called with each kind that is served no more, after it is so. Quick. */
  public void onRemoval(Consumer<ResourceType> listener) {
    listeners.add(listener);
  }

  /**
   * Serves one kind more.
   *
   * @param definitions of its fields, its own and those it refers to that are not there yet
   * @throws IllegalArgumentException when the name or a definition is taken
   */
  public void add(ResourceType type, List<Definition> definitions) {
    replace(List.of(), Map.of(type, definitions));
  }

  /**
   * Serves a kind no more; its watches end.
   *
   * @throws IllegalArgumentException when it is none that was added
   */
  public void remove(ResourceType type) {
    replace(List.of(type), Map.of());
  }

  /**
   * Serves some kinds instead of others, in one step: no request finds neither. Watches of those
   * that go end.
   *
   * @param come with the definitions of their fields
   */
  public void replace(List<ResourceType> gone, Map<ResourceType, List<Definition>> come) {
    synchronized (this) {
      var next = now;
      for (var type : gone) {
        next = without(next, type);
      }
      for (var entry : come.entrySet()) {
        next = with(next, entry.getKey(), entry.getValue());
      }
      gone.forEach(added::remove);
      come.forEach((type, definitions) ->
          added.put(type, definitions.stream().map(Definition::name).collect(Collectors.toSet())));
      now = next;
    }
    gone.forEach(type -> listeners.forEach(listener -> listener.accept(type)));
  }

  private KindSet without(KindSet kinds, ResourceType type) {
    var names = added.get(type);
    if (names == null) {
      throw new IllegalArgumentException(type.groupResource() + " was not added");
    }
    var schema = kinds.schema().without(names);
    return new KindSet(
        kinds.catalog().without(type),
        schema,
        kinds.ofStored() == kinds.schema() ? schema : kinds.ofStored().without(names));
  }

  private static KindSet with(KindSet kinds, ResourceType type, List<Definition> definitions) {
    var kind = type.kind();
    if (kinds.catalog().find(kind.group(), kind.version(), type.names().plural()).isPresent()) {
      throw new IllegalArgumentException(type.groupResource() + " is served already");
    }
    for (var definition : definitions) {
      if (kinds.ofStored().has(definition.name())) {
        throw new IllegalArgumentException("there is a definition " + definition.name());
      }
    }
    var schema = kinds.schema().with(definitions);
    return new KindSet(
        kinds.catalog().with(type),
        schema,
        kinds.ofStored() == kinds.schema() ? schema : kinds.ofStored().with(definitions));
  }
}
