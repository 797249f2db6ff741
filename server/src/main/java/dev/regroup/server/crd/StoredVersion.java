package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.server.resource.Conversion;
import java.util.Optional;

/**
 * Objects of one version of a custom kind that are stored in another, or were stored under another
 * schema. Versions differ in their name and in what their schemas prune and fill in: what the
 * stored version does not know is not kept, and what it fills in is there when an object is read.
 *
 * @param custom the version that is served
 * @param storage the version that is stored
 * @param fresh whether no object can have been stored under another schema than the one of now
 */
record StoredVersion(CustomKind custom, CustomKind storage, boolean fresh) implements Conversion {

  @Override
  public Optional<GroupVersionKind> storedKind() {
    return isStored() ? Optional.empty() : Optional.of(storage.kind());
  }

  @Override
  public boolean servesAsStored() {
    return fresh && isStored();
  }

  @Override
  public ObjectNode toStored(ObjectNode served) {
    return isStored() ? served : storage.refreshed(served.deepCopy());
  }

  @Override
  public ObjectNode toServed(ObjectNode tree) {
    var read = storage.refreshed(tree.deepCopy());
    return isStored() ? read : custom.pruned(read);
  }

  private boolean isStored() {
    return storage.kind().equals(custom.kind());
  }
}
