package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Cursor;
import dev.regroup.store.DiskRoom;
import dev.regroup.store.Encoder;
import dev.regroup.store.Entry;
import dev.regroup.store.Listing;
import dev.regroup.store.Store;
import dev.regroup.store.StoreFailure;
import dev.regroup.store.WriteOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The store in the words of the API: trees go in, bytes come out, both in the form that the kind is
 * served in. Any thread. A disk that refuses makes the service unavailable for the client whose
 * write it was.
 */
public final class ObjectStore {
  private static final int LARGEST = 4 * 1024 * 1024; // what a body of 3 MiB can become

  private final Store store;
  private final Map<GroupVersionKind, ObjectBytes> encodings = new ConcurrentHashMap<>();

  public ObjectStore(Store store) {
    this.store = store;
  }

  public Optional<Entry> find(ResourceType type, String namespace, String name) {
    return store
        .get(type.collection(), type.key(namespace, name))
        .map(entry -> served(type, entry));
  }

  public Entry get(ResourceType type, String namespace, String name) throws Refused {
    return find(type, namespace, name)
        .orElseThrow(() -> new Refused(Status.notFound(type.groupResource(), name)));
  }

  /** All of a namespace, or of the cluster when it is empty. */
  public Listing list(ResourceType type, String namespace) {
    return listed(type, namespace.isEmpty() ? "" : namespace + "/");
  }

  /** Those whose names begin so, of one namespace. */
  public Listing named(ResourceType type, String namespace, String prefix) {
    return listed(type, type.key(namespace, prefix));
  }

  private Listing listed(ResourceType type, String prefix) {
    var listing = store.list(type.collection(), prefix);
    if (isServedAsStored(type)) {
      return listing;
    }
    var entries = listing.entries().stream().map(entry -> served(type, entry)).toList();
    return new Listing(listing.revision(), entries);
  }

  /** A number that is another one after each write of this kind. Costs next to nothing. */
  public long changes(ResourceType type) {
    return store.changes(type.collection());
  }

  /** Changes of one namespace, of one object or, with an empty scope, of all. */
  public Cursor watch(ResourceType type, String scope, long after) {
    var cursor = store.watch(type.collection(), scope, after);
    return isServedAsStored(type) ? cursor : new ServedCursor(cursor, this, type);
  }

  /**
   * A write that is encoded and has yet to be made. It holds bytes and no tree: thousands may wait
   * for the disk at once, and a tree is ten times as large.
   */
  public interface Write {
    WriteOutcome make() throws Refused, InterruptedException;
  }

  /** How the store is asked. */
  private interface Asking {
    WriteOutcome ask() throws StoreFailure, InterruptedException;
  }

  public WriteOutcome create(ResourceType type, String namespace, ObjectNode object)
      throws Refused, InterruptedException {
    return creation(type, namespace, object).make();
  }

  public Write creation(ResourceType type, String namespace, ObjectNode object) throws Refused {
    var encoder = encoder(type, object);
    var key = type.key(namespace, Meta.name(object));
    return () -> made(type, () -> store.create(type.collection(), key, encoder));
  }

  public WriteOutcome update(ResourceType type, Entry current, ObjectNode object)
      throws Refused, InterruptedException {
    return change(type, current, object).make();
  }

  public Write change(ResourceType type, Entry current, ObjectNode object) throws Refused {
    var encoder = encoder(type, object);
    var room = room(type, object);
    return () ->
        made(
            type,
            () ->
                store.update(type.collection(), current.key(), current.revision(), encoder, room));
  }

  /** Removes it; watchers see {@code last} at the revision of the deletion. */
  public WriteOutcome delete(ResourceType type, Entry current, ObjectNode last)
      throws Refused, InterruptedException {
    return removal(type, current, last).make();
  }

  public Write removal(ResourceType type, Entry current, ObjectNode last) throws Refused {
    var encoder = encoder(type, last);
    return () ->
        made(
            type,
            () -> store.delete(type.collection(), current.key(), current.revision(), encoder));
  }

  private WriteOutcome made(ResourceType type, Asking asking) throws Refused, InterruptedException {
    try {
      return served(type, asking.ask());
    } catch (StoreFailure e) {
      throw diskRefused(e);
    }
  }

  /** The bytes of the served form. */
  public ObjectBytes bytes(ResourceType type) {
    return bytes(type.kind());
  }

  private ObjectBytes bytes(GroupVersionKind kind) {
    return encodings.computeIfAbsent(kind, ObjectBytes::new);
  }

  /** What a patch has made too large is refused, as if it had come in one piece. */
  private Encoder encoder(ResourceType type, ObjectNode object) throws Refused {
    var encoded = bytes(type.storedKind()).encoder(type.conversion().toStored(object));
    if (encoded.tail().length > LARGEST && !Meta.deleted(object)) {
      throw new Refused(Status.tooLarge(LARGEST));
    }
    return encoded;
  }

  private static boolean isServedAsStored(ResourceType type) {
    return type.conversion().servesAsStored();
  }

  private WriteOutcome served(ResourceType type, WriteOutcome outcome) {
    return outcome instanceof WriteOutcome.Committed(Entry entry)
        ? new WriteOutcome.Committed(served(type, entry))
        : outcome;
  }

  private Entry served(ResourceType type, Entry entry) {
    if (isServedAsStored(type)) {
      return entry;
    }
    return new Entry(
        entry.collection(),
        entry.key(),
        entry.revision(),
        entry.createdRevision(),
        served(type, entry.value()));
  }

  /** The stored bytes in the form of this kind. */
  byte[] served(ResourceType type, byte[] stored) {
    var tree = tree(stored);
    long revision = Long.parseLong(Meta.text(tree, "resourceVersion"));
    return bytes(type).encoder(type.conversion().toServed(tree)).encode(revision);
  }

  /** The object as a tree of the caller's own. */
  public static ObjectNode tree(byte[] stored) {
    try {
      return Wire.tree(stored);
    } catch (IOException e) {
      throw new UncheckedIOException("a stored object is no JSON", e);
    }
  }

  /** On a full disk, what is on its way out may still be written, and nodes tell of the disk. */
  private static DiskRoom room(ResourceType type, ObjectNode object) {
    return Meta.deleted(object) || type.has(ResourceType.Trait.USES_RESERVE)
        ? DiskRoom.RESERVE
        : DiskRoom.COMMON;
  }

  private static Refused diskRefused(StoreFailure failure) {
    return new Refused(Status.unavailable(String.valueOf(failure.getMessage())));
  }
}
