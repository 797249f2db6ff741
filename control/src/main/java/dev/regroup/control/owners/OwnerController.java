package dev.regroup.control.owners;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.DeleteOptions.Propagation;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Shows the {@link OwnerGraph} every object of every collection and does what it asks for. Deletes
 * only what it has confirmed with the server, and only as it saw it there (by uid and version).
 */
public final class OwnerController implements AutoCloseable {

  private static final String BLOCKING = "blockOwnerDeletion";
  private static final Duration SOON = Duration.ofMillis(20);
  private static final Duration IN_A_MOMENT = Duration.ofMillis(200);

  private final ApiClient client;
  private final OwnerGraph graph = new OwnerGraph();
  private final WorkQueue<String> queue;
  private final Consumer<String> emptied;
  private final KnownCollections collections;
  private final CustomFeeds<Thing> customFeeds;

  /**
   * @param random spreads retries
   * @param emptied told the name of a namespace whose last object has gone; must be quick
   */
  public OwnerController(
      SharedFeeds feeds,
      Transport transport,
      KnownCollections collections,
      RandomGenerator random,
      Consumer<String> emptied) {
    this.client = new ApiClient(transport);
    this.collections = collections;
    this.emptied = emptied;
    var loop = feeds.<String>loop("owners", 4).reads(collections.definitions());
    for (Collection collection : collections.builtIn()) {
      loop.hears(
          feeds.informer(collection.resource(), object -> thing(collection, object)),
          this::changed);
    }
    this.queue = loop.run(this::handle);
    this.customFeeds =
        new CustomFeeds<>(
            "custom-kinds",
            feeds,
            collections,
            transport,
            random,
            OwnerController::thing,
            this::changed);
  }

  /** How many objects a namespace holds, as far as the caches know. */
  public int inNamespace(String namespace) {
    return graph.inNamespace(namespace);
  }

  @Override
  public void close() {
    customFeeds.close();
    queue.close();
  }

  private void changed(Delta<Thing> delta) {
    var look =
        switch (delta) {
          case Delta.Added<Thing>(var item) -> graph.put(item.value());
          case Delta.Updated<Thing>(_, var item) -> graph.put(item.value());
          case Delta.Removed<Thing>(var item) -> {
            var affected = graph.remove(item.uid());
            if (graph.inNamespace(item.key().namespace()) == 0) {
              emptied.accept(item.key().namespace());
            }
            yield affected;
          }
        };
    look.forEach(queue::add);
  }

  private Outcome handle(String uid)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      switch (graph.work(uid)) {
        case OwnerGraph.Work.Nothing() -> {}
        case OwnerGraph.Work.DeleteIfOwnersAreGone(var thing) -> {
          return deleteAsHeard(thing, Propagation.BACKGROUND, this::ownersAreGone);
        }
        case OwnerGraph.Work.LookAgain() -> {
          graph.lookedAgain(uid);
          return Outcome.tryAgain(IN_A_MOMENT, "dependents may be on their way");
        }
        case OwnerGraph.Work.DeleteForOwner(var thing) -> {
          var propagation =
              graph.hasDependents(uid) ? Propagation.FOREGROUND : Propagation.BACKGROUND;
          return deleteAsHeard(thing, propagation, _ -> true);
        }
        case OwnerGraph.Work.Unblock(var thing) -> unblock(thing);
        case OwnerGraph.Work.RemoveFinalizer(var thing, var finalizer) ->
            removeFinalizer(thing, finalizer);
        case OwnerGraph.Work.Orphan(var thing) -> {
          letGo(thing);
          removeFinalizer(thing, Thing.ORPHAN);
        }
      }
    } catch (ApiFailure failure) {
      if (failure.conflict()) {
        return Outcome.tryAgain(SOON, "changed meanwhile");
      }
      if (!failure.notFound()) {
        throw failure;
      }
    }
    return Outcome.settled();
  }

  /** Asks the server itself: a cache may not have heard of a new owner yet. */
  private boolean ownersAreGone(Thing thing)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    for (var owner : thing.owners()) {
      var collection = collections.of(owner.apiVersion(), owner.kind());
      if (collection.isEmpty()) {
        return false; // nobody here can tell whether it is gone
      }
      boolean namespaced = collection.get().resource().scope() == Resource.Scope.NAMESPACED;
      var key = new ObjectKey(namespaced ? thing.namespace() : "", owner.name());
      var found = client.get(collection.get().resource(), key);
      if (found.isPresent()
          && found.get().path("metadata").path("uid").asText().equals(owner.uid())) {
        return false;
      }
    }
    return true;
  }

  private interface Condition {
    boolean holds(Thing thing) throws ApiFailure, Transport.Unreachable, InterruptedException;
  }

  /**
   * Deletes an object whose owners are those that were heard of. The watch of its kind may lag
   * behind that of its owner: then somebody has let it go, and nobody here knows it yet.
   */
  private Outcome deleteAsHeard(Thing thing, Propagation propagation, Condition condition)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var collection = collections.at(thing.collection());
    if (collection.isEmpty()) {
      return Outcome.settled(); // its kind is gone, and it with it
    }
    var resource = collection.get().resource();
    var key = new ObjectKey(thing.namespace(), thing.name());
    var found = client.get(resource, key);
    if (found.isEmpty()) {
      return Outcome.settled();
    }
    var there = thing(collection.get(), found.get());
    if (!there.uid().equals(thing.uid())) {
      return Outcome.settled();
    }
    if (!there.owners().equals(thing.owners())) {
      return Outcome.tryAgain(IN_A_MOMENT, "its owners changed, and its watch has not said so yet");
    }
    if (condition.holds(there)) {
      var version = found.get().path("metadata").path("resourceVersion").asText();
      client.delete(
          resource, key, DeleteOptions.NONE.with(propagation).onlyUid(thing.uid()).onlyAt(version));
    }
    return Outcome.settled();
  }

  private void removeFinalizer(Thing thing, String finalizer)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    rewrite(thing, "finalizers", dropping(item -> item.asText().equals(finalizer)));
  }

  /** Takes the reference to an owner off everything that the server has with it. */
  private void letGo(Thing owner) throws ApiFailure, Transport.Unreachable, InterruptedException {
    boolean everywhere = owner.namespace().isEmpty();
    for (var collection : collections.all()) {
      if (everywhere || collection.resource().scope() == Resource.Scope.NAMESPACED) {
        for (ObjectNode object : objects(collection, owner.namespace())) {
          var dependent = thing(collection, object);
          if (dependent.owners().stream().anyMatch(one -> one.uid().equals(owner.uid()))) {
            removeOwner(dependent, owner.uid());
          }
        }
      }
    }
  }

  private List<ObjectNode> objects(Collection collection, String namespace)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      return client.list(collection.resource(), ListQuery.in(namespace)).items();
    } catch (ApiFailure failure) {
      if (failure.notFound()) {
        return List.of(); // its definition has gone, and its objects with it
      }
      throw failure;
    }
  }

  private void removeOwner(Thing thing, String ownerUid)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    rewrite(thing, "ownerReferences", dropping(item -> item.path("uid").asText().equals(ownerUid)));
  }

  private void unblock(Thing thing) throws ApiFailure, Transport.Unreachable, InterruptedException {
    rewrite(
        thing,
        "ownerReferences",
        item -> Optional.of(item.deepCopy()).map(one -> ((ObjectNode) one).put(BLOCKING, false)));
  }

  private static Function<JsonNode, Optional<? extends JsonNode>> dropping(
      Predicate<JsonNode> gone) {
    return item -> gone.test(item) ? Optional.empty() : Optional.of(item);
  }

  /** Rewrites a list of the metadata as it is at the server now, or not at all. */
  private void rewrite(
      Thing thing, String list, Function<JsonNode, Optional<? extends JsonNode>> next)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var collection = collections.at(thing.collection());
    if (collection.isEmpty()) {
      return; // its kind is gone, and it with it
    }
    var resource = collection.get().resource();
    var key = new ObjectKey(thing.namespace(), thing.name());
    var found = client.get(resource, key);
    if (found.isEmpty()) {
      return;
    }
    var metadata = found.get().path("metadata");
    var patch = Wire.object();
    var changes = patch.putObject("metadata");
    changes.put("uid", thing.uid());
    changes.put("resourceVersion", metadata.path("resourceVersion").asText());
    var rest = changes.putArray(list);
    for (JsonNode item : metadata.path(list)) {
      next.apply(item).ifPresent(rest::add);
    }
    if (!rest.equals(metadata.path(list))) {
      client.mergePatch(resource, key, patch.toString());
    }
  }

  private static Thing thing(Collection collection, ObjectNode object) {
    var metadata = object.path("metadata");
    var owners = new ArrayList<Thing.Owner>();
    for (JsonNode owner : metadata.path("ownerReferences")) {
      owners.add(
          new Thing.Owner(
              owner.path("apiVersion").asText(),
              owner.path("kind").asText(),
              owner.path("name").asText(),
              owner.path("uid").asText(),
              owner.path(BLOCKING).asBoolean()));
    }
    var finalizers = new HashSet<String>();
    metadata.path("finalizers").forEach(finalizer -> finalizers.add(finalizer.asText()));
    return new Thing(
        collection.path(),
        metadata.path("namespace").asText(""),
        metadata.path("name").asText(),
        metadata.path("uid").asText(),
        owners,
        finalizers,
        metadata.has("deletionTimestamp"));
  }
}
