package dev.regroup.api.admission.core;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;

/** Namespaces: the label with their own name and the finalizer that empties them. */
final class NamespaceRules implements KindRules {

  private static final String FINALIZER = "kubernetes";

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public void fill(ObjectNode namespace) {
    ObjectNode metadata = Trees.child(namespace, "metadata");
    String name = Trees.text(metadata, "name");
    if (!name.isEmpty()) {
      Trees.child(metadata, "labels").put("kubernetes.io/metadata.name", name);
    }
  }

  @Override
  public void begin(ObjectNode namespace) {
    ObjectNode spec = Trees.child(namespace, "spec");
    if (!Trees.texts(spec, "finalizers").contains(FINALIZER)) {
      Trees.list(spec, "finalizers").add(FINALIZER);
    }
    namespace.putObject("status").put("phase", "Active");
  }
}
