package dev.regroup.server.resource;

import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.wire.Verb;
import java.util.List;

/**
 * A part of an object with an address of its own.
 *
 * @param kind of what is sent to it
 */
public record Subresource(String name, GroupVersionKind kind, List<Verb> verbs, Act act) {

  public static final List<Verb> READ_WRITE = List.of(Verb.GET, Verb.PATCH, Verb.UPDATE);

  public Subresource {
    verbs = List.copyOf(verbs);
  }
}
