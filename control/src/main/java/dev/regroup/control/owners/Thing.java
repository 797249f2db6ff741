package dev.regroup.control.owners;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Any object, as far as ownership goes.
 *
 * @param collection path of the collection without a namespace, {@code /api/v1/pods}
 * @param namespace empty for objects outside of namespaces
 */
public record Thing(
    String collection,
    String namespace,
    String name,
    String uid,
    List<Owner> owners,
    Set<String> finalizers,
    boolean deleting) {

  /** What deletion in the foreground and orphaning wait for. */
  public static final String FOREGROUND = "foregroundDeletion";

  public static final String ORPHAN = "orphan";

  /** One owner reference. */
  public record Owner(String apiVersion, String kind, String name, String uid, boolean blocking) {
    public Owner {
      Objects.requireNonNull(uid, "uid");
    }
  }

  public Thing {
    Objects.requireNonNull(uid, "uid");
    owners = List.copyOf(owners);
    finalizers = Set.copyOf(finalizers);
  }

  boolean awaitsDependents() {
    return deleting && finalizers.contains(FOREGROUND);
  }

  boolean orphansDependents() {
    return deleting && finalizers.contains(ORPHAN);
  }

  boolean blocks() {
    return owners.stream().anyMatch(Owner::blocking);
  }

  boolean blocks(String ownerUid) {
    return owners.stream().anyMatch(owner -> owner.uid().equals(ownerUid) && owner.blocking());
  }

  /** Path of the object itself. */
  public String path() {
    if (namespace.isEmpty()) {
      return collection + "/" + name;
    }
    int plural = collection.lastIndexOf('/');
    return collection.substring(0, plural)
        + "/namespaces/"
        + namespace
        + collection.substring(plural)
        + "/"
        + name;
  }
}
