package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.DeleteParameters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;

/** A definition goes after its objects: a finalizer of its own keeps it until they are gone. */
final class DefinitionStrategy implements KindStrategy {
  static final String FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

  private final Set<String> builtIn;

  /**
   * @param builtIn definitions of kinds that are there without them
   */
  DefinitionStrategy(Set<String> builtIn) {
    this.builtIn = Set.copyOf(builtIn);
  }

  @Override
  public Optional<String> undeletable(String name) {
    return builtIn.contains(name)
        ? Optional.of("the kind is built in (start with --jobset=off to bring your own)")
        : Optional.empty();
  }

  @Override
  public Deletion delete(ObjectNode stored, DeleteParameters options, Instant now) {
    if (Meta.deleted(stored)) {
      return Deletion.standard(stored, options, now);
    }
    var definition = stored.deepCopy();
    Meta.of(definition).put("deletionTimestamp", Meta.stamp(now));
    var finalizers = new ArrayList<>(Meta.finalizers(definition));
    if (!finalizers.contains(FINALIZER)) {
      finalizers.add(FINALIZER);
    }
    Meta.setFinalizers(definition, finalizers);
    DefinitionConditions.set(
        definition,
        new DefinitionConditions.Condition(
            "Terminating",
            true,
            "InstanceDeletionPending",
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin"
                + " soon"),
        now);
    return new Deletion(Deletion.Kind.MARK, definition);
  }
}
