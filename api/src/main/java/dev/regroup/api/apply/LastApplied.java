package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.nio.charset.StandardCharsets;

/**
 * The annotation in which {@code kubectl apply} remembers what it applied. Who goes over to
 * server-side apply takes along what it applied before, and may go back: the annotation follows.
 */
final class LastApplied {
  private static final String KUBECTL = "kubectl";
  private static final String ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

  /** Annotations of an object together; a longer configuration is not remembered. */
  private static final int LARGEST = 256 * 1024;

  private LastApplied() {}

  /** Fields that are still as kubectl applied them: it may change them, whoever owns them. */
  static FieldSet yielding(Schema schema, Definition definition, ObjectNode live, String manager) {
    var text = Trees.text(live, "metadata", "annotations", ANNOTATION);
    if (!manager.equals(KUBECTL) || text.isEmpty()) {
      return FieldSet.EMPTY;
    }
    try {
      var applied = Document.parse(text.getBytes(StandardCharsets.UTF_8)).tree();
      if (!ConfigurationCheck.of(schema, definition, applied).isEmpty()) {
        return FieldSet.EMPTY;
      }
      var since = FieldChanges.between(schema, definition, applied, live);
      return OwnedFields.of(schema, definition, applied)
          .minus(since.changed())
          .minus(since.removed());
    } catch (Undecodable e) {
      return FieldSet.EMPTY;
    }
  }

  /** Writes the configuration into the annotation, where there is one. */
  static void follow(ObjectNode object, ObjectNode configuration, String manager) {
    boolean kept = Trees.has(object, "metadata", "annotations", ANNOTATION);
    if (!manager.equals(KUBECTL) || !kept) {
      return;
    }
    var plain = configuration.deepCopy();
    Trees.object(plain, "metadata", "annotations").ifPresent(some -> some.remove(ANNOTATION));
    var text = Wire.text(plain) + "\n";
    var annotations = Trees.object(object, "metadata", "annotations").orElseThrow();
    if (text.length() <= LARGEST) {
      annotations.put(ANNOTATION, text);
    } else {
      annotations.put(ANNOTATION, "");
    }
  }
}
