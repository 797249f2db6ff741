package dev.regroup.server.rbac;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.rbac.RoleGrant.RoleKey;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.store.Entry;
import dev.regroup.store.WriteOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

/**
 * The roles and bindings every cluster begins with, as Kubernetes 1.36 has them. At each start what
 * is missing is made, and what somebody took away is put back, unless the object's annotation says
 * that it shall be left alone; what somebody added stays.
 */
public final class DefaultRoles {
  private static final String AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";

  private final ObjectStore objects;
  private final Catalog catalog;
  private final InstantSource clock;
  private final RandomGenerator random;

  public DefaultRoles(
      ObjectStore objects, Catalog catalog, InstantSource clock, RandomGenerator random) {
    this.objects = objects;
    this.catalog = catalog;
    this.clock = clock;
    this.random = random;
  }

  /** As they are at the beginning, without what the server adds. */
  static List<ObjectNode> all() {
    try (var in =
        requireNonNull(DefaultRoles.class.getResourceAsStream("defaults-1.36.txt"), "defaults")) {
      return new String(in.readAllBytes(), UTF_8).lines().map(DefaultRoles::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode read(String line) {
    var object = Wire.tree(line);
    var metadata = Meta.of(object);
    Trees.child(metadata, "labels").put("kubernetes.io/bootstrapping", "rbac-defaults");
    Trees.child(metadata, "annotations").put(AUTO_UPDATE, "true");
    return object;
  }

  /**
   * Returns when all are there. They are written side by side, so that they share the disk.
   *
   * @return true
   */
  public Boolean ensure() throws IOException, InterruptedException {
    var writes = new ArrayList<Future<?>>();
    try (var writers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var wanted : all()) {
        writes.add(
            writers.submit(() -> {
              ensure(wanted);
              return null;
            }));
      }
    }
    for (var write : writes) {
      try {
        write.get();
      } catch (ExecutionException e) {
        throw new IOException("a default role could not be made", e.getCause());
      }
    }
    return true;
  }

  private void ensure(ObjectNode wanted) throws Refused, InterruptedException {
    var kind = Trees.text(wanted, "kind");
    var type = StoredRoles.type(catalog, kind.toLowerCase(Locale.ROOT) + "s");
    var namespace = Meta.text(wanted, "namespace");
    boolean done = false;
    while (!done) {
      var there = objects.find(type, namespace, Meta.name(wanted));
      done =
          there.isEmpty() ? create(type, namespace, wanted) : bringBack(type, there.get(), wanted);
    }
  }

  /** All outcomes but success mean that somebody else was there: look again. */
  private boolean create(ResourceType type, String namespace, ObjectNode wanted)
      throws Refused, InterruptedException {
    var object = wanted.deepCopy();
    Meta.of(object)
        .put("uid", Meta.newUid(random))
        .put("creationTimestamp", Meta.stamp(clock.instant()));
    return objects.create(type, namespace, object) instanceof WriteOutcome.Committed;
  }

  private boolean bringBack(ResourceType type, Entry entry, ObjectNode wanted)
      throws Refused, InterruptedException {
    var stored = ObjectStore.tree(entry.value());
    if (Trees.text(stored, "metadata", "annotations", AUTO_UPDATE).equals("false")) {
      return true;
    }
    var otherRole = RoleKey.of(wanted.path("roleRef"), Meta.text(wanted, "namespace"));
    boolean sameRole =
        !wanted.has("roleRef")
            || otherRole.equals(RoleKey.of(stored.path("roleRef"), Meta.text(wanted, "namespace")));
    if (!sameRole) { // a binding cannot change its role
      objects.delete(type, entry, stored);
      return false;
    }
    var next = reconciled(stored, wanted);
    return next.equals(stored)
        || objects.update(type, entry, next) instanceof WriteOutcome.Committed;
  }

  /** The stored object with everything that is wanted. Pure. */
  static ObjectNode reconciled(ObjectNode stored, ObjectNode wanted) {
    var next = stored.deepCopy();
    for (var field : List.of("labels", "annotations")) {
      var texts = Trees.child(Meta.of(next), field);
      Trees.map(wanted, "metadata", field)
          .forEach((key, value) -> {
            if (!texts.has(key)) {
              texts.put(key, value);
            }
          });
    }
    if (wanted.has("aggregationRule")) { // its rules are somebody else's
      addMissing(
          Trees.list(Trees.child(next, "aggregationRule"), "clusterRoleSelectors"),
          Trees.objects(wanted, "aggregationRule", "clusterRoleSelectors"));
    } else if (wanted.has("rules")) {
      var missing = RuleCover.missing(PolicyRule.listOf(next), PolicyRule.listOf(wanted));
      var rules = Trees.list(next, "rules");
      missing.forEach(rule -> rules.add(rule.toTree()));
    }
    if (wanted.has("subjects")) {
      addMissing(Trees.list(next, "subjects"), Trees.objects(wanted, "subjects"));
    }
    return next;
  }

  private static void addMissing(ArrayNode list, List<ObjectNode> wanted) {
    for (var one : wanted) {
      boolean there = false;
      for (var item : list) {
        there |= item.equals(one);
      }
      if (!there) {
        list.add(one);
      }
    }
  }
}
