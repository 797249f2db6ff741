package dev.regroup.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Codec;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Resource;
import dev.regroup.client.informer.Informer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Follows one namespace's pods by a watch and waits for a fact; keeps every revision seen. */
final class Wait implements AutoCloseable {

  private static final Resource<ObjectNode> PODS =
      Resource.namespaced("", "v1", "pods", Codec.TREE);

  private final List<JsonNode> seen = new ArrayList<>();
  private final Informer<ObjectNode> informer;

  Wait(LocalCluster cluster, String namespace) {
    informer =
        new Informer<ObjectNode>(
                cluster.transport(), PODS, ListQuery.in(namespace), pod -> pod, new Random())
            .listen(delta -> {
              synchronized (seen) {
                delta.now().ifPresent(item -> seen.add(item.value()));
                seen.notifyAll();
              }
            })
            .start();
  }

  /** The newest revision of the pod once it fulfils the wish. */
  JsonNode until(String pod, Duration limit, Predicate<JsonNode> wish) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    synchronized (seen) {
      while (true) {
        var last = newest(pod);
        if (last != null && wish.test(last)) {
          return last;
        }
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("in vain; last seen: " + last);
        }
        seen.wait(left);
      }
    }
  }

  /** Waits until the cache has no such pod. */
  void untilGone(String pod, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    synchronized (seen) {
      while (informer.all().stream().anyMatch(item -> item.key().name().equals(pod))) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("still there: " + newest(pod));
        }
        seen.wait(left);
      }
    }
  }

  List<JsonNode> seen() {
    synchronized (seen) {
      return List.copyOf(seen);
    }
  }

  @Override
  public void close() {
    informer.close();
  }

  private @org.jspecify.annotations.Nullable JsonNode newest(String pod) {
    for (var revision : seen.reversed()) {
      if (revision.path("metadata").path("name").asText().equals(pod)) {
        return revision;
      }
    }
    return null;
  }

  static String condition(JsonNode pod, String type) {
    for (var condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return "";
  }

  static int count(JsonNode pod, String name) {
    for (var list : List.of("containerStatuses", "initContainerStatuses")) {
      for (var container : pod.path("status").path(list)) {
        if (container.path("name").asText().equals(name)) {
          return container.path("restartCount").asInt();
        }
      }
    }
    return -1;
  }
}
