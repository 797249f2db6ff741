package dev.regroup.server.rbac;

import dev.regroup.server.access.Identity;
import dev.regroup.server.rbac.RoleGrant.RoleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All roles, and all bindings by whom they name: what somebody may do is found without looking at
 * what others may. Written by one thread at a time, read by any number, who never wait; a reader
 * beside a writer sees a role or a binding as it was or as it is.
 */
final class RoleBook {
  private final Map<RoleKey, List<PolicyRule>> roles = new ConcurrentHashMap<>();
  private final Map<Place, List<Granted>> grants = new ConcurrentHashMap<>();

  /** Where the grants of one subject stand; an empty namespace is the cluster. */
  private record Place(String namespace, String subject) {}

  /** One binding, as one of its subjects. */
  private record Granted(RoleGrant grant, RoleSubject subject) {}

  /** Hears of the rights of somebody, one rule after the other. */
  interface Reader {

    /** Returns whether to go on. */
    boolean rule(RoleGrant grant, RoleSubject subject, PolicyRule rule);

    /** A binding names a role that is not there. */
    void missing(RoleKey role);
  }

  void put(RoleKey role, List<PolicyRule> rules) {
    roles.put(role, List.copyOf(rules));
  }

  void remove(RoleKey role) {
    roles.remove(role);
  }

  void put(RoleGrant grant) {
    for (var subject : grant.subjects()) {
      grants.merge(
          new Place(grant.namespace(), subject.key()),
          List.of(new Granted(grant, subject)),
          RoleBook::joined);
    }
  }

  void remove(RoleGrant grant) {
    for (var subject : grant.subjects()) {
      grants.computeIfPresent(
          new Place(grant.namespace(), subject.key()),
          (_, some) -> {
            var left = some.stream().filter(one -> !one.grant().equals(grant)).toList();
            return left.isEmpty() ? null : left;
          });
    }
  }

  private static List<Granted> joined(List<Granted> some, List<Granted> more) {
    var all = new ArrayList<>(some);
    all.addAll(more);
    return List.copyOf(all);
  }

  Optional<List<PolicyRule>> rules(RoleKey role) {
    return Optional.ofNullable(roles.get(role));
  }

  /** Tells the reader what somebody may do in a namespace, cluster-wide rights first. */
  void read(Identity identity, String namespace, Reader reader) {
    var keys = RoleSubject.keys(identity);
    if (read("", keys, reader) && !namespace.isEmpty()) {
      read(namespace, keys, reader);
    }
  }

  private boolean read(String namespace, List<String> keys, Reader reader) {
    for (var key : keys) {
      for (var granted : grants.getOrDefault(new Place(namespace, key), List.of())) {
        var rules = roles.get(granted.grant().role());
        if (rules == null) {
          reader.missing(granted.grant().role());
          continue;
        }
        for (var rule : rules) {
          if (!reader.rule(granted.grant(), granted.subject(), rule)) {
            return false;
          }
        }
      }
    }
    return true;
  }
}
