package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.body.Call;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.wire.Refused;
import org.jspecify.annotations.Nullable;

/**
 * Port: who manages which fields of an object. Every create and change passes here once, before
 * admission; only here {@code metadata.managedFields} is written.
 */
@FunctionalInterface
public interface FieldManagement {

  /** No books are kept, and what clients send of them is dropped. */
  FieldManagement NONE = (_, _, next) -> Meta.of(next).remove("managedFields");

  /**
   * Notes the change in {@code next}.
   *
   * @param call names the manager, and the part of the object it writes
   * @param old what is stored; null for a new object
   */
  void note(Call call, @Nullable ObjectNode old, ObjectNode next) throws Refused;
}
