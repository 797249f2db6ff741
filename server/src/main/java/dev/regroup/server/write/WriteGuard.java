package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: what depends on who writes, asked when an object is complete and correct. Any thread. */
@FunctionalInterface
public interface WriteGuard {

  /** Everybody may write everything that is correct. */
  WriteGuard NONE = (_, _, _, _) -> {};

  /** All of these, one after the other. */
  static WriteGuard all(List<WriteGuard> guards) {
    var all = List.copyOf(guards);
    return (asker, type, object, old) -> {
      for (var guard : all) {
        guard.check(asker, type, object, old);
      }
    };
  }

  /**
   * Looks at a write.
   *
   * @param old what is stored now; null for a new object
   */
  void check(Identity asker, ResourceType type, ObjectNode object, @Nullable ObjectNode old)
      throws Refused;
}
