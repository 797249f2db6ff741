package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.DeleteParameters;
import dev.regroup.server.wire.Refused;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How objects of one kind behave where kinds differ. Each method does by default what nearly all
 * kinds do; a kind that differs says so in its own strategy and nowhere else. What can be said with
 * yes or no is a {@link ResourceType.Trait}. Strategies keep nothing; what they need of the running
 * server comes through {@link Allocations}.
 */
public interface KindStrategy {

  KindStrategy STANDARD = new KindStrategy() {};

  /** What every request about this kind is told. */
  default List<String> warnings() {
    return List.of();
  }

  /** A create of this kind is an act and stores nothing of the kind. */
  default Optional<Act> actOfCreate() {
    return Optional.empty();
  }

  /** Fills in what only the server can know, before admission. */
  default void prepareCreate(ObjectNode object, Allocations allocations) throws Refused {}

  /**
   * The same for a change of {@code old}. What lies beside the metadata may be that of the old
   * object: whoever changes a part takes a copy of it first.
   */
  default void prepareUpdate(ObjectNode old, ObjectNode object, Allocations allocations)
      throws Refused {}

  /** Why an object of this name stays for ever. */
  default Optional<String> undeletable(String name) {
    return Optional.empty();
  }

  /** What to say when a delete leaves dependents behind only because it does not mention them. */
  default Optional<String> orphanWarning() {
    return Optional.empty();
  }

  /** What a delete makes of the object. */
  default Deletion delete(ObjectNode stored, DeleteParameters options, Instant now) {
    return Deletion.standard(stored, options, now);
  }

  /** Whether something beside finalizers and grace keeps an object that is marked. */
  default boolean kept(ObjectNode object) {
    return false;
  }
}
