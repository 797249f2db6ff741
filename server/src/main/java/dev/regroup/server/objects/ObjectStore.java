package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Entry;
import dev.regroup.store.Listing;
import dev.regroup.store.Outcome;
import dev.regroup.store.Store;
import dev.regroup.store.StoreFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The store in the words of the API: trees go in, stored bytes come out. Any thread. A disk that
 * fails becomes an internal error for the client whose write it was.
 */
public final class ObjectStore {
  private final Store store;
  private final Map<ResourceType, ObjectBytes> encodings = new ConcurrentHashMap<>();

  public ObjectStore(Store store) {
    this.store = store;
  }

  public Store store() {
    return store;
  }

  public Optional<Entry> find(ResourceType type, String namespace, String name) {
    return store.get(type.collection(), type.key(namespace, name));
  }

  public Entry get(ResourceType type, String namespace, String name) throws Refused {
    return find(type, namespace, name)
        .orElseThrow(() -> new Refused(Status.notFound(type.groupResource(), name)));
  }

  /** All of a namespace, or of the cluster when it is empty. */
  public Listing list(ResourceType type, String namespace) {
    return store.list(type.collection(), namespace.isEmpty() ? "" : namespace + "/");
  }

  public Outcome create(ResourceType type, String namespace, ObjectNode object)
      throws Refused, InterruptedException {
    var encoder = bytes(type).encoder(object, type);
    var key = type.key(namespace, Meta.name(object));
    try {
      return store.create(type.collection(), key, encoder);
    } catch (StoreFailure e) {
      throw diskRefused(e);
    }
  }

  public Outcome update(ResourceType type, Entry current, ObjectNode object)
      throws Refused, InterruptedException {
    var encoder = bytes(type).encoder(object, type);
    try {
      return store.update(type.collection(), current.key(), current.revision(), encoder);
    } catch (StoreFailure e) {
      throw diskRefused(e);
    }
  }

  /** Removes it; watchers see {@code last} at the revision of the deletion. */
  public Outcome delete(ResourceType type, Entry current, ObjectNode last)
      throws Refused, InterruptedException {
    var encoder = bytes(type).encoder(last, type);
    try {
      return store.delete(type.collection(), current.key(), current.revision(), encoder);
    } catch (StoreFailure e) {
      throw diskRefused(e);
    }
  }

  public ObjectBytes bytes(ResourceType type) {
    return encodings.computeIfAbsent(type, ObjectBytes::new);
  }

  /** The object as a tree of the caller's own. */
  public static ObjectNode tree(byte[] stored) {
    try {
      return Wire.tree(stored);
    } catch (IOException e) {
      throw new UncheckedIOException("a stored object is no JSON", e);
    }
  }

  private static Refused diskRefused(StoreFailure failure) {
    return new Refused(Status.internalError(String.valueOf(failure.getMessage())));
  }
}
