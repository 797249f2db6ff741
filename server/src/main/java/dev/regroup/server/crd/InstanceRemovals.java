package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Backoff;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.DefinitionConditions;
import dev.regroup.server.resource.DefinitionConditions.Condition;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.write.Remover;
import dev.regroup.store.Entry;
import dev.regroup.store.WriteOutcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes all objects of a kind whose definition is being deleted, waits until the last one is gone
 * and lets the definition go: one thread for each such definition, as long as it takes. It begins
 * anew after a crash, because the definition is kept by its finalizer until the end.
 */
final class InstanceRemovals {
  private static final Logger LOG = LoggerFactory.getLogger(InstanceRemovals.class);
  private static final String FINALIZER = "customresourcecleanup.apiextensions.k8s.io";
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration SAFETY_NET = Duration.ofSeconds(5);

  private final ObjectStore objects;
  private final ResourceType definitions;
  private final Remover remover;
  private final InstantSource clock;
  private final Map<String, Thread> running = new ConcurrentHashMap<>();

  InstanceRemovals(
      ObjectStore objects, ResourceType definitions, Remover remover, InstantSource clock) {
    this.objects = objects;
    this.definitions = definitions;
    this.remover = remover;
    this.clock = clock;
  }

  /** Begins with a definition, unless that has happened. */
  void begin(String name) {
    running.computeIfAbsent(
        name, _ -> Thread.ofVirtual().name("removal-of-" + name).start(() -> run(name)));
  }

  private void run(String name) {
    try {
      removeInTheEnd(name);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
      return;
    } catch (RuntimeException bug) {
      LOG.error("the objects of {} cannot be deleted", name, bug);
      return;
    } finally {
      running.remove(name);
    }
    if (objects.find(definitions, "", name).filter(InstanceRemovals::waits).isPresent()) {
      begin(name); // made and deleted again, while this was about to end
    }
  }

  /** What is refused now, on a full disk for instance, is asked for again. */
  private void removeInTheEnd(String name) throws InterruptedException {
    var pauses = new Backoff(FIRST_PAUSE, SAFETY_NET);
    while (true) {
      try {
        remove(name);
        return;
      } catch (Refused e) {
        LOG.warn("the objects of {} cannot be deleted now: {}", name, e.getMessage());
        Thread.sleep(pauses.next());
      }
    }
  }

  private static boolean waits(Entry definition) {
    var tree = ObjectStore.tree(definition.value());
    return Meta.deleted(tree) && Meta.finalizers(tree).contains(FINALIZER);
  }

  private void remove(String name) throws Refused, InterruptedException {
    var found = objects.find(definitions, "", name);
    if (found.isEmpty()) {
      return;
    }
    var definition = ObjectStore.tree(found.get().value());
    if (!Meta.finalizers(definition).contains(FINALIZER)) {
      return;
    }
    Condition done;
    if (DefinitionConditions.holds(definition, "Established")) {
      note(
          name,
          new Condition(
              "Terminating",
              true,
              "InstanceDeletionInProgress",
              "CustomResource deletion is in progress"));
      empty(DefinedTypes.stored(definition));
      done =
          new Condition("Terminating", false, "InstanceDeletionCompleted", "removed all instances");
    } else {
      done =
          new Condition("Terminating", false, "NeverEstablished", "resource was never established");
    }
    change(
        name,
        next -> {
          DefinitionConditions.set(next, done, clock.instant());
          var left = new ArrayList<>(Meta.finalizers(next));
          left.remove(FINALIZER);
          Meta.setFinalizers(next, left);
        });
  }

  /** Deletes what is there until nothing is; finalizers of objects are for others to take off. */
  private void empty(ResourceType type) throws Refused, InterruptedException {
    while (true) {
      var listing = objects.list(type, "");
      if (listing.entries().isEmpty()) {
        return;
      }
      for (var entry : listing.entries()) {
        var object = ObjectStore.tree(entry.value());
        if (!Meta.deleted(object)) {
          deleteOne(type, object);
        }
      }
      try (var cursor = objects.watch(type, "", objects.list(type, "").revision())) {
        if (!objects.list(type, "").entries().isEmpty()) {
          var _ = cursor.next(SAFETY_NET);
        }
      }
    }
  }

  private void deleteOne(ResourceType type, ObjectNode object)
      throws Refused, InterruptedException {
    try {
      remover.remove(type, Meta.text(object, "namespace"), Meta.name(object));
    } catch (Refused e) {
      if (e.code() != 404) { // somebody else deleted it: as good as done
        throw e;
      }
    }
  }

  private void note(String name, Condition condition) throws Refused, InterruptedException {
    change(name, next -> DefinitionConditions.set(next, condition, clock.instant()));
  }

  /** Changes the definition as it is then; with its last finalizer it goes. */
  private void change(String name, Consumer<ObjectNode> edit) throws Refused, InterruptedException {
    while (true) {
      var entry = objects.find(definitions, "", name);
      if (entry.isEmpty()) {
        return;
      }
      var next = ObjectStore.tree(entry.get().value());
      edit.accept(next);
      var outcome =
          Meta.finalizers(next).isEmpty()
              ? objects.delete(definitions, entry.get(), next)
              : objects.update(definitions, entry.get(), next);
      switch (outcome) {
        case WriteOutcome.Committed _, WriteOutcome.Missing _ -> {
          return;
        }
        case WriteOutcome.Changed _ -> {} // look again
        case WriteOutcome.Exists _ ->
            throw new IllegalStateException("a change found a second object");
      }
    }
  }

  /** Ends the threads and waits for them; what is not done is begun again with the next start. */
  void close() throws InterruptedException {
    for (var thread : running.values()) {
      thread.interrupt();
      thread.join();
    }
  }
}
