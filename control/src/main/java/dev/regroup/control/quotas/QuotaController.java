package dev.regroup.control.quotas;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.quota.Quota;
import dev.regroup.api.quota.QuotaAmounts;
import dev.regroup.api.quota.QuotaUsage;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.owners.Collection;
import dev.regroup.control.owners.CustomFeeds;
import dev.regroup.control.owners.KnownCollections;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Counts what quotas limit and writes it into their status, which makes a new limit hold. The
 * server adds what new objects use by itself; here a quota is counted anew when it changes and when
 * something of its namespace goes, ends or gets an end.
 */
public final class QuotaController implements AutoCloseable {
  private static final Duration SOON = Duration.ofMillis(20);

  private final ApiClient client;
  private final Informer<ObjectNode> quotas;
  private final WorkQueue<ObjectKey> queue;
  private final KnownCollections collections;
  private final CustomFeeds<QuotaUsage.Standing> customFeeds;

  /**
   * @param random spreads retries
   */
  public QuotaController(
      SharedFeeds feeds,
      Transport transport,
      KnownCollections collections,
      RandomGenerator random) {
    this.client = new ApiClient(transport);
    this.collections = collections;
    this.quotas = feeds.informer(Kinds.QUOTAS, ObjectNode::deepCopy);
    var loop =
        feeds
            .<ObjectKey>loop("quotas", 1)
            .hears(quotas, this::changed)
            .reads(collections.definitions());
    for (Collection collection : collections.builtIn()) {
      if (collection.resource().scope() == Resource.Scope.NAMESPACED) {
        loop.hears(
            feeds.informer(collection.resource(), QuotaUsage.Standing::of), this::perhapsFreed);
      }
    }
    this.queue = loop.run(this::handle);
    this.customFeeds =
        new CustomFeeds<>(
            "counted-kinds",
            feeds,
            collections,
            transport,
            random,
            (_, object) -> QuotaUsage.Standing.of(object),
            this::perhapsFreed);
  }

  @Override
  public void close() {
    customFeeds.close();
    queue.close();
  }

  /** What the server reserves is no reason to count. */
  private void changed(Delta<ObjectNode> delta) {
    delta
        .now()
        .filter(item ->
            !item.value().path("status").path("hard").equals(item.value().path("spec").path("hard"))
                || delta.old().isEmpty())
        .ifPresent(item -> queue.add(item.key()));
  }

  private void perhapsFreed(Delta<QuotaUsage.Standing> delta) {
    boolean counted = // the server has done so when it came
        delta.old().isEmpty()
            || delta
                .now()
                .map(item -> item.value().equals(delta.old().get().value()))
                .orElse(false);
    if (counted && delta.now().isPresent()) {
      return;
    }
    for (var quota : quotas.all()) {
      if (quota.key().namespace().equals(delta.key().namespace())) {
        queue.add(quota.key());
      }
    }
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var item = quotas.get(key);
    if (item.isEmpty()) {
      return Outcome.settled();
    }
    var object = item.get().value().deepCopy(); // read before counting: what comes later conflicts
    var quota = Quota.of(object);
    var status = Wire.object();
    status.set("hard", quota.limits().toJson());
    status.set("used", count(quota).toJson());
    if (status.equals(object.path("status"))) {
      return Outcome.settled();
    }
    object.set("status", status);
    try {
      client.updateStatus(Kinds.QUOTAS, key, object);
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

  private QuotaAmounts count(Quota quota)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var names = quota.limits().byName().keySet();
    var used = QuotaAmounts.NONE;
    for (Collection collection : collections.all()) {
      var resource = collection.resource();
      boolean counted =
          resource.scope() == Resource.Scope.NAMESPACED
              && QuotaUsage.concerns(resource.group(), resource.plural(), names);
      if (!counted) {
        continue;
      }
      for (var object : client.list(resource, ListQuery.in(quota.namespace())).items()) {
        if (quota.counts(resource.group(), resource.plural(), object)) {
          used = used.plus(QuotaUsage.of(resource.group(), resource.plural(), object));
        }
      }
    }
    return used.exactly(names);
  }
}
