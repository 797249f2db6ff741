package dev.regroup.server.resource;

import dev.regroup.api.schema.Definition;
import java.util.HashMap;
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
  private final Map<ResourceType, Set<String>> added = new HashMap<>(); // guarded by this
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
  public synchronized void add(ResourceType type, List<Definition> definitions) {
    var kind = type.kind();
    if (now.catalog().find(kind.group(), kind.version(), type.names().plural()).isPresent()) {
      throw new IllegalArgumentException(type.groupResource() + " is served already");
    }
    for (var definition : definitions) {
      if (now.ofStored().has(definition.name())) {
        throw new IllegalArgumentException("there is a definition " + definition.name());
      }
    }
    added.put(type, definitions.stream().map(Definition::name).collect(Collectors.toSet()));
    var schema = now.schema().with(definitions);
    now =
        new KindSet(
            now.catalog().with(type),
            schema,
            now.ofStored() == now.schema() ? schema : now.ofStored().with(definitions));
  }

  /**
   * Serves a kind no more; its watches end.
   *
   * @throws IllegalArgumentException when it is none that was added
   */
  public void remove(ResourceType type) {
    synchronized (this) {
      var names = added.remove(type);
      if (names == null) {
        throw new IllegalArgumentException(type.groupResource() + " was not added");
      }
      var schema = now.schema().without(names);
      now =
          new KindSet(
              now.catalog().without(type),
              schema,
              now.ofStored() == now.schema() ? schema : now.ofStored().without(names));
    }
    listeners.forEach(listener -> listener.accept(type));
  }
}
