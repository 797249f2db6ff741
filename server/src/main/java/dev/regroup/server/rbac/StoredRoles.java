package dev.regroup.server.rbac;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.access.Identity;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.rbac.RoleGrant.RoleKey;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a {@link RoleBook} equal to what is stored. Whoever asks for the book gets one that knows
 * every write that was answered before: a look at one number per kind says whether there is news,
 * and only what has changed is read again. Any thread; nobody waits unless roles have just changed.
 */
public final class StoredRoles {
  static final String GROUP = "rbac.authorization.k8s.io";

  private final ObjectStore objects;
  private final RoleBook book = new RoleBook();
  private final List<Shelf<?>> shelves;

  public StoredRoles(ObjectStore objects, Catalog catalog) {
    this.objects = objects;
    this.shelves =
        List.of(
            new Roles(book, type(catalog, "clusterroles")),
            new Roles(book, type(catalog, "roles")),
            new Bindings(book, type(catalog, "clusterrolebindings")),
            new Bindings(book, type(catalog, "rolebindings")));
  }

  static ResourceType type(Catalog catalog, String plural) {
    return catalog.find(GROUP, "v1", plural).orElseThrow();
  }

  RoleBook book() {
    for (var shelf : shelves) {
      if (shelf.seen != objects.changes(shelf.type)) {
        refresh();
        break;
      }
    }
    return book;
  }

  /** All somebody may do in a namespace. */
  public HeldRules held(Identity identity, String namespace) {
    var held = new HeldRules();
    book().read(identity, namespace, held);
    return held;
  }

  private synchronized void refresh() {
    shelves.forEach(shelf -> shelf.refresh(objects));
  }

  /** What the book has of one kind, and at which revision it was read. */
  private abstract static class Shelf<T> {
    private final ResourceType type;
    private final Map<String, Known<T>> known = new HashMap<>(); // guarded by the owner
    private volatile long seen = -1;

    private record Known<T>(long revision, T part) {}

    private Shelf(ResourceType type) {
      this.type = type;
    }

    /** Puts the object into the book, in the place of what was read of it before. */
    abstract T put(ObjectNode object, @Nullable T before);

    abstract void remove(T part);

    private void refresh(ObjectStore objects) {
      long now = objects.changes(type); // before looking: news from here on cause another look
      if (now == seen) {
        return;
      }
      var there = new HashSet<String>();
      for (var entry : objects.list(type, "").entries()) {
        there.add(entry.key());
        var before = known.get(entry.key());
        if (before == null || before.revision() != entry.revision()) {
          var part = put(ObjectStore.tree(entry.value()), before == null ? null : before.part());
          known.put(entry.key(), new Known<>(entry.revision(), part));
        }
      }
      known
          .entrySet()
          .removeIf(old -> {
            boolean gone = !there.contains(old.getKey());
            if (gone) {
              remove(old.getValue().part());
            }
            return gone;
          });
      seen = now;
    }
  }

  private static final class Roles extends Shelf<RoleKey> {
    private final RoleBook book;

    private Roles(RoleBook book, ResourceType type) {
      super(type);
      this.book = book;
    }

    @Override
    RoleKey put(ObjectNode role, @Nullable RoleKey before) {
      var key = new RoleKey(Meta.text(role, "namespace"), Meta.name(role));
      book.put(key, PolicyRule.listOf(role));
      return key;
    }

    @Override
    void remove(RoleKey role) {
      book.remove(role);
    }
  }

  private static final class Bindings extends Shelf<RoleGrant> {
    private final RoleBook book;

    private Bindings(RoleBook book, ResourceType type) {
      super(type);
      this.book = book;
    }

    /** The new one comes before the old one goes: nobody loses a right that stays. */
    @Override
    RoleGrant put(ObjectNode binding, @Nullable RoleGrant before) {
      var grant = RoleGrant.of(binding);
      if (!grant.equals(before)) {
        book.put(grant);
        if (before != null) {
          book.remove(before);
        }
      }
      return grant;
    }

    @Override
    void remove(RoleGrant grant) {
      book.remove(grant);
    }
  }
}
