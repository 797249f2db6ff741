package dev.regroup.control.namespaces;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.owners.Collection;
import dev.regroup.control.owners.KnownCollections;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the service account {@code default} and the certificate of the cluster's authority in every
 * namespace, and empties and finalizes the ones that are deleted. The server writes the certificate
 * to {@code kube-system}, from where it is copied. {@link #emptied} is how this learns, without
 * asking, that the last object went.
 */
public final class NamespaceController implements AutoCloseable {

  private static final String DEFAULT = "default";
  private static final String FINALIZER = "kubernetes";
  private static final String AUTHORITY = "kube-root-ca.crt";
  private static final String AUTHORITY_KEY = "ca.crt";
  private static final ObjectKey SOURCE = new ObjectKey("kube-system", AUTHORITY);
  private static final Duration SAFETY_NET = Duration.ofSeconds(5);

  private final ApiClient client;
  private final KnownCollections collections;
  private final Informer<Boolean> namespaces;
  private final Informer<Boolean> accounts;
  private final Informer<String> authorities;
  private final Map<String, Integer> pods = new ConcurrentHashMap<>(); // by namespace
  private final InstantSource clock;
  private final WorkQueue<String> queue;

  public NamespaceController(
      SharedFeeds feeds, Transport transport, KnownCollections collections, InstantSource clock) {
    this.client = new ApiClient(transport);
    this.collections = collections;
    this.clock = clock;
    this.namespaces =
        feeds.informer(
            Kinds.NAMESPACES, object -> object.path("metadata").has("deletionTimestamp"));
    this.accounts = feeds.informer(Kinds.SERVICE_ACCOUNTS, _ -> true);
    this.authorities = feeds.informer(Kinds.CONFIG_MAPS, NamespaceController::authority);
    this.queue =
        feeds
            .<String>loop("namespaces", 4)
            .reads(collections.definitions())
            .wakes(namespaces, namespace -> Optional.of(namespace.key().name()))
            .wakes(accounts, NamespaceController::namespace)
            .hears(authorities, delta -> authorityChanged(delta.key()))
            .hears(feeds.informer(Kinds.PODS, _ -> true), this::podsChanged)
            .run(this::handle);
  }

  /** The certificate; nothing of other config maps is kept. */
  private static String authority(ObjectNode map) {
    boolean named = map.path("metadata").path("name").asText().equals(AUTHORITY);
    return named ? map.path("data").path(AUTHORITY_KEY).asText("") : "";
  }

  private void authorityChanged(ObjectKey map) {
    if (map.equals(SOURCE)) {
      namespaces.all().forEach(namespace -> queue.add(namespace.key().name()));
    } else if (map.name().equals(AUTHORITY)) {
      queue.add(map.namespace());
    }
  }

  /** A namespace that is deleted waits for its pods before it deletes what they use. */
  private void podsChanged(Delta<Boolean> delta) {
    String namespace = delta.key().namespace();
    switch (delta) {
      case Delta.Added<Boolean> _ -> pods.merge(namespace, 1, Integer::sum);
      case Delta.Updated<Boolean> _ -> {}
      case Delta.Removed<Boolean> _ -> {
        if (pods.computeIfPresent(namespace, (_, n) -> n == 1 ? null : n - 1) == null) {
          queue.add(namespace);
        }
      }
    }
  }

  private static Optional<String> namespace(Item<Boolean> account) {
    return account.key().name().equals(DEFAULT)
        ? Optional.of(account.key().namespace())
        : Optional.empty();
  }

  /** The last known object of a namespace has gone. Any thread. */
  public void emptied(String namespace) {
    if (!namespace.isEmpty()) { // objects outside namespaces come and go too
      queue.add(namespace);
    }
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome handle(String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var namespace = namespaces.get(ObjectKey.cluster(name));
    if (namespace.isEmpty()) {
      return Outcome.settled();
    }
    if (namespace.get().value()) {
      return empty(name);
    }
    keepAccount(name);
    keepAuthority(name);
    return Outcome.settled();
  }

  private void keepAccount(String namespace)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (accounts.get(new ObjectKey(namespace, DEFAULT)).isEmpty()) {
      var account = Wire.object().put("apiVersion", "v1").put("kind", "ServiceAccount");
      account.putObject("metadata").put("name", DEFAULT);
      create(Kinds.SERVICE_ACCOUNTS, namespace, account);
    }
  }

  private void keepAuthority(String namespace)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var wanted = authorities.get(SOURCE).map(Item::value).orElse("");
    var key = new ObjectKey(namespace, AUTHORITY);
    var there = authorities.get(key);
    if (wanted.isEmpty() || there.map(item -> item.value().equals(wanted)).orElse(false)) {
      return;
    }
    var data = Wire.object();
    data.putObject("data").put(AUTHORITY_KEY, wanted);
    if (there.isPresent()) {
      client.mergePatch(Kinds.CONFIG_MAPS, key, Wire.text(data));
    } else {
      data.putObject("metadata").put("name", AUTHORITY);
      create(Kinds.CONFIG_MAPS, namespace, data);
    }
  }

  /** Somebody else may have made it, and the namespace may be going. */
  private void create(Resource<ObjectNode> kind, String namespace, ObjectNode object)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      client.create(kind, namespace, object);
    } catch (ApiFailure failure) {
      boolean meanwhile = failure.alreadyExists() || failure.notFound() || failure.forbidden();
      if (!meanwhile) {
        throw failure;
      }
    }
  }

  private Outcome empty(String namespace)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var remains = new NamespaceRemains();
    remains.add(Kinds.PODS, deleteAll(Kinds.PODS, namespace));
    if (remains.isEmpty()) {
      for (Collection collection : collections.all()) {
        if (collection.resource().scope() == Resource.Scope.NAMESPACED) {
          remains.add(collection.resource(), deleteAll(collection.resource(), namespace));
        }
      }
      deleteAll(Kinds.EVENTS, namespace);
    }
    if (!remains.isEmpty()) {
      tell(namespace, remains);
      return Outcome.tryAgain(SAFETY_NET, "objects are still ending");
    }
    var current = client.get(Kinds.NAMESPACES, ObjectKey.cluster(namespace));
    if (current.isPresent() && dropFinalizer(current.get())) {
      client.update(
          Kinds.NAMESPACES,
          ObjectKey.cluster(namespace),
          "finalize",
          current.get(),
          WriteOptions.NONE);
    }
    return Outcome.settled();
  }

  /** Others may wait for something else: theirs stay. Returns whether ours was there. */
  private static boolean dropFinalizer(ObjectNode namespace) {
    var before = Trees.texts(namespace, "spec", "finalizers");
    var left = namespace.withObject("/spec").putArray("finalizers");
    before.stream().filter(finalizer -> !finalizer.equals(FINALIZER)).forEach(left::add);
    return left.size() < before.size();
  }

  /** Why the namespace is still there; it may be gone or changed meanwhile. */
  private void tell(String namespace, NamespaceRemains remains)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key = ObjectKey.cluster(namespace);
    var current = client.get(Kinds.NAMESPACES, key);
    if (current.isEmpty()) {
      return;
    }
    var status = current.get().withObject("/status");
    var before = status.withArray("/conditions");
    var now = remains.conditions(before, clock.instant());
    if (now.equals(before)) {
      return;
    }
    status.set("conditions", now);
    try {
      client.updateStatus(Kinds.NAMESPACES, key, current.get());
    } catch (ApiFailure failure) {
      if (!failure.conflict() && !failure.notFound()) {
        throw failure;
      }
    }
  }

  /** Asks for the deletion of everything in a collection; returns what is left. */
  private List<ObjectNode> deleteAll(Resource<ObjectNode> resource, String namespace)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var query = ListQuery.in(namespace);
    if (client.list(resource, query.withLimit(1)).items().isEmpty()) {
      return List.of();
    }
    client
        .transport()
        .send(
            Request.of(
                "DELETE",
                resource.path(namespace),
                "application/json",
                Wire.write(Wire.object().put("propagationPolicy", "Background"))));
    return client.list(resource, query).items();
  }
}
