package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.server.resource.Conversion;
import java.util.Optional;

/**
 * Objects of one version of a custom kind that are stored in another, or were stored under another
 * schema. Versions differ in their name and in what their schemas prune and fill in.
 *
 * @param fresh whether no object can have been stored under another schema than the one of now
 */
record StoredVersion(GroupVersionKind stored, CustomKind custom, boolean fresh)
    implements Conversion {

  @Override
  public Optional<GroupVersionKind> storedKind() {
    return stored.equals(custom.kind()) ? Optional.empty() : Optional.of(stored);
  }

  @Override
  public boolean servesAsStored() {
    return fresh && stored.equals(custom.kind());
  }

  @Override
  public ObjectNode toStored(ObjectNode served) {
    return served;
  }

  @Override
  public ObjectNode toServed(ObjectNode tree) {
    return custom.refreshed(tree.deepCopy());
  }
}
