package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.DefinitionConditions;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ServedKinds;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.write.Remover;
import dev.regroup.store.Change;
import dev.regroup.store.Cursor;
import dev.regroup.store.CursorNews;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the kinds that definitions describe. {@link #open} serves what is stored; from then on one
 * thread looks at every change of a definition, in order: it gives out names, serves the kind, and
 * only then says so in the status. A look carries nothing from one to the next but what is being
 * served, so a definition may be looked at any number of times.
 *
 * <p>A definition whose kind is built in is kept and not served: the built-in kind stays in charge.
 */
public final class CustomKinds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CustomKinds.class);

  private final ObjectStore objects;
  private final ServedKinds kinds;
  private final ResourceType definitions;
  private final InstantSource clock;
  private final InstanceRemovals removals;
  private final Map<String, Served> served = new HashMap<>(); // of the thread that looks
  private @Nullable Cursor cursor; // guarded by this
  private @Nullable Thread thread; // guarded by this
  private boolean closed; // guarded by this

  /**
   * What is served of a definition.
   *
   * @param reason what it depends on: served again only when this changes
   */
  private record Served(Reason reason, List<ResourceType> types) {}

  private record Reason(JsonNode spec, JsonNode names, boolean going) {}

  public CustomKinds(ObjectStore objects, ServedKinds kinds, Remover remover, InstantSource clock) {
    this.objects = objects;
    this.kinds = kinds;
    this.clock = clock;
    this.definitions =
        kinds
            .now()
            .catalog()
            .find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
            .orElseThrow();
    this.removals = new InstanceRemovals(objects, definitions, remover, clock);
  }

  /** Serves what is stored and follows changes from there. Once. */
  public synchronized void open() throws InterruptedException {
    long revision = lookAtAll();
    cursor = objects.watch(definitions, "", revision);
    thread = Thread.ofVirtual().name("definitions").start(this::follow);
  }

  private long lookAtAll() throws InterruptedException {
    var listing = objects.list(definitions, "");
    for (var entry : listing.entries()) {
      look(entry.key());
    }
    return listing.revision();
  }

  private void follow() {
    try {
      var here = current();
      while (here != null) {
        switch (here.next()) {
          case Change change -> changed(change);
          case CursorNews.Quiet _ -> {}
          case CursorNews.Compacted _ -> here = begunAgain();
          case CursorNews.Ended _ -> {
            return;
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private synchronized @Nullable Cursor current() {
    return closed ? null : cursor;
  }

  private @Nullable Cursor begunAgain() throws InterruptedException {
    long revision = lookAtAll();
    synchronized (this) {
      cursor = closed ? null : objects.watch(definitions, "", revision);
      return cursor;
    }
  }

  private void changed(Change change) throws InterruptedException {
    try {
      if (change.type() == Change.Type.DELETE) {
        stopServing(change.key());
        lookAtOthers(group(ObjectStore.tree(change.value())), change.key());
      }
      look(change.key());
    } catch (RuntimeException bug) {
      LOG.error("the definition {} could not be served", change.key(), bug);
    }
  }

  /** A name may have become free. */
  private void lookAtOthers(String group, String except) throws InterruptedException {
    for (var entry : objects.list(definitions, "").entries()) {
      if (!entry.key().equals(except) && group(ObjectStore.tree(entry.value())).equals(group)) {
        look(entry.key());
      }
    }
  }

  private void look(String name) throws InterruptedException {
    var entry = objects.find(definitions, "", name);
    if (entry.isEmpty()) {
      return;
    }
    var definition = ObjectStore.tree(entry.get().value());
    if (isBuiltIn(definition)) {
      return;
    }
    if (Meta.deleted(definition)) {
      if (DefinitionConditions.holds(definition, "Established")) {
        serve(name, definition);
      }
      removals.begin(name);
      return;
    }
    var next = definition.deepCopy();
    NameClaims.settle(next, ofGroup(group(definition), name), clock.instant());
    if (DefinitionConditions.holds(next, "Established")) {
      serve(name, next);
    }
    if (!next.equals(definition)) {
      try {
        // Another write in between is a change of its own and brings us here again.
        var _ = objects.update(definitions, entry.get(), next);
      } catch (Refused e) {
        LOG.warn("the status of definition {} cannot be written: {}", name, e.getMessage());
      }
    }
  }

  private static String group(ObjectNode definition) {
    return definition.path("spec").path("group").asText("");
  }

  private List<ObjectNode> ofGroup(String group, String except) {
    var others = new ArrayList<ObjectNode>();
    for (var entry : objects.list(definitions, "").entries()) {
      var other = ObjectStore.tree(entry.value());
      if (!entry.key().equals(except) && group(other).equals(group)) {
        others.add(other);
      }
    }
    return others;
  }

  private boolean isBuiltIn(ObjectNode definition) {
    var plural = definition.path("spec").path("names").path("plural").asText("");
    var group = group(definition);
    return kinds.now().catalog().all().stream()
        .anyMatch(type ->
            type.custom().isEmpty()
                && type.kind().group().equals(group)
                && type.names().plural().equals(plural));
  }

  private void serve(String name, ObjectNode definition) {
    var reason =
        new Reason(
            definition.path("spec"),
            definition.path("status").path("acceptedNames"),
            Meta.deleted(definition));
    var before = served.get(name);
    if (before != null && before.reason().equals(reason)) {
      return;
    }
    var types = DefinedTypes.of(definition);
    kinds.replace(before == null ? List.of() : before.types(), types);
    served.put(name, new Served(reason, List.copyOf(types.keySet())));
  }

  private void stopServing(String name) {
    var before = served.remove(name);
    if (before != null) {
      kinds.replace(before.types(), Map.of());
    }
  }

  /** Ends the threads and waits for them. What is served stays served. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
      if (cursor != null) {
        cursor.close();
      }
    }
    try {
      if (running != null) {
        running.interrupt();
        running.join();
      }
      removals.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
