package dev.regroup.server.access;

import java.util.ArrayList;
import java.util.List;

/**
 * Port: who may do what. Implementations know one source of rights each; {@link #union} asks them
 * in order. Any thread; must not wait for anything but memory and this server's store, because
 * every request asks.
 */
@FunctionalInterface
public interface Authorizer {

  Authorization decide(Attributes attributes);

  /** The first one with an opinion decides; without any, all their reasons tell why not. */
  static Authorizer union(List<Authorizer> links) {
    var all = List.copyOf(links);
    return attributes -> {
      var reasons = new ArrayList<String>();
      for (var link : all) {
        switch (link.decide(attributes)) {
          case Authorization.Allow allow -> {
            return allow;
          }
          case Authorization.Deny deny -> {
            return deny;
          }
          case Authorization.NoOpinion(String reason) -> {
            if (!reason.isEmpty()) {
              reasons.add(reason);
            }
          }
        }
      }
      return new Authorization.NoOpinion(String.join(", ", reasons));
    };
  }
}
