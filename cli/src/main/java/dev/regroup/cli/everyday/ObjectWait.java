package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.QueryString;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/** Follows one object until it is as wanted. */
record ObjectWait(Transport transport, Resource<ObjectNode> resource, ObjectKey key) {

  /** True when it is so within the time; empty stands for an object that is not there. */
  boolean until(Predicate<Optional<JsonNode>> wanted, Duration limit)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() < end) {
      var now = new ApiClient(transport).get(resource, key);
      if (wanted.test(now.map(object -> object))) {
        return true;
      }
      if (watched(now, wanted, Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        return true;
      }
    }
    return false;
  }

  private boolean watched(
      Optional<ObjectNode> from, Predicate<Optional<JsonNode>> wanted, Duration limit)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var query =
        new QueryString()
            .add("watch", "true")
            .add("fieldSelector", "metadata.name=" + key.name())
            .add(
                "resourceVersion",
                from.map(object -> Trees.text(object, "metadata", "resourceVersion")).orElse(""));
    var late = new AtomicBoolean();
    try (var stream =
        transport.open(Request.get(resource.path(key.namespace()), query.toString()))) {
      var alarm =
          Thread.ofVirtual()
              .name("wait-limit")
              .start(() -> {
                try {
                  Thread.sleep(limit);
                  late.set(true);
                  stream.close();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt(); // it came in time
                }
              });
      try {
        for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
          if (stream.status() != 200) {
            throw ApiFailure.of(stream.status(), frame);
          }
          var event = Wire.tree(frame);
          if (event.path("type").asText().equals("ERROR")) {
            return false; // too old: look anew
          }
          boolean gone = event.path("type").asText().equals("DELETED");
          if (wanted.test(gone ? Optional.empty() : Optional.of(event.path("object")))) {
            return true;
          }
        }
      } finally {
        alarm.interrupt();
      }
    } catch (Transport.Unreachable e) {
      if (!late.get()) {
        throw e;
      }
    } catch (IOException e) {
      throw new Transport.Unreachable("an answer cannot be read", e);
    }
    return false;
  }
}
