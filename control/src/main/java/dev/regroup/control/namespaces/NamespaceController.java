package dev.regroup.control.namespaces;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
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
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.owners.Collection;
import dev.regroup.control.owners.KnownCollections;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps the service account {@code default} and the certificate of the cluster's authority in every
 * namespace, and empties and finalizes the ones that are deleted. The server writes the certificate
 * to {@code kube-system}, from where it is copied. {@link #emptied} is how this learns, without
 * asking, that the last object went.
 */
public final class NamespaceController implements AutoCloseable {

  private static final String DEFAULT = "default";
  private static final String AUTHORITY = "kube-root-ca.crt";
  private static final String AUTHORITY_KEY = "ca.crt";
  private static final ObjectKey SOURCE = new ObjectKey("kube-system", AUTHORITY);
  private static final Duration SAFETY_NET = Duration.ofSeconds(5);

  private final ApiClient client;
  private final KnownCollections collections;
  private final Informer<Boolean> namespaces;
  private final Informer<Boolean> accounts;
  private final Informer<String> authorities;
  private final WorkQueue<String> queue;

  public NamespaceController(SharedFeeds feeds, Transport transport, KnownCollections collections) {
    this.client = new ApiClient(transport);
    this.collections = collections;
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
    boolean left = false;
    for (Collection collection : collections.all()) {
      if (collection.resource().scope() == Resource.Scope.NAMESPACED) {
        left |= deleteAll(collection.resource(), namespace);
      }
    }
    deleteAll(Kinds.EVENTS, namespace);
    if (left) {
      return Outcome.tryAgain(SAFETY_NET, "objects are still ending");
    }
    var current = client.get(Kinds.NAMESPACES, ObjectKey.cluster(namespace));
    if (current.isPresent()) {
      current.get().withObject("/spec").putArray("finalizers");
      client.update(
          Kinds.NAMESPACES,
          ObjectKey.cluster(namespace),
          "finalize",
          current.get(),
          WriteOptions.NONE);
    }
    return Outcome.settled();
  }

  /** Asks for the deletion of everything in a collection; true while something is left. */
  private boolean deleteAll(Resource<ObjectNode> resource, String namespace)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var query = ListQuery.in(namespace).withLimit(1);
    if (client.list(resource, query).items().isEmpty()) {
      return false;
    }
    client
        .transport()
        .send(
            Request.of(
                "DELETE",
                resource.path(namespace),
                "application/json",
                Wire.write(Wire.object().put("propagationPolicy", "Background"))));
    return !client.list(resource, query).items().isEmpty();
  }
}
