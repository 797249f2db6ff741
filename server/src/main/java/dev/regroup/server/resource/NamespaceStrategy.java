package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.DeleteParameters;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** A namespace empties itself before it goes; its finalizer stands in its spec. */
final class NamespaceStrategy implements KindStrategy {
  private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");

  @Override
  public Optional<String> undeletable(String name) {
    return IMMORTAL.contains(name)
        ? Optional.of("this namespace may not be deleted")
        : Optional.empty();
  }

  @Override
  public Deletion delete(ObjectNode stored, DeleteParameters options, Instant now) {
    var namespace = stored.deepCopy();
    if (Meta.deleted(namespace)) {
      return new Deletion(
          empty(namespace) ? Deletion.Kind.REMOVE : Deletion.Kind.NOTHING_NEW, namespace);
    }
    Deletion.addOwnersFinalizer(namespace, options);
    Meta.of(namespace).put("deletionTimestamp", Meta.stamp(now));
    status(namespace).put("phase", "Terminating");
    return new Deletion(empty(namespace) ? Deletion.Kind.REMOVE : Deletion.Kind.MARK, namespace);
  }

  @Override
  public boolean kept(ObjectNode namespace) {
    return !namespace.path("spec").path("finalizers").isEmpty();
  }

  private boolean empty(ObjectNode namespace) {
    return Meta.finalizers(namespace).isEmpty() && !kept(namespace);
  }

  private static ObjectNode status(ObjectNode object) {
    return object.get("status") instanceof ObjectNode status ? status : object.putObject("status");
  }
}
