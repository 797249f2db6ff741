package dev.regroup.node.service;

import static java.util.Objects.requireNonNull;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** An API server in memory that can list and watch: enough for informers. */
public final class SmallApi implements Transport {
  private static final byte[] END = {};

  private final Map<String, Map<String, String>> objects = new TreeMap<>();
  private final Map<String, List<BlockingQueue<byte[]>>> watchers = new TreeMap<>();
  private int revision = 100;

  /** Creates or replaces an object; {@code rest} is its JSON without metadata. */
  public synchronized void put(
      String path, String namespace, String name, String labels, String rest) {
    var collection = objects.computeIfAbsent(path, _ -> new TreeMap<>());
    String key = namespace + "/" + name;
    boolean known = collection.containsKey(key);
    String object =
        """
        {"metadata":{"namespace":"%s","name":"%s","uid":"%s","resourceVersion":"%d","labels":%s},%s}\
        """
            .formatted(namespace, name, key, ++revision, labels, rest);
    collection.put(key, object);
    tell(path, known ? "MODIFIED" : "ADDED", object);
  }

  public synchronized void delete(String path, String namespace, String name) {
    String last = objects.getOrDefault(path, Map.of()).remove(namespace + "/" + name);
    tell(path, "DELETED", requireNonNull(last, name));
  }

  @Override
  public synchronized Response send(Request request) {
    String items = String.join(",", objects.getOrDefault(request.path(), Map.of()).values());
    return new Response(
        200,
        Headers.NONE,
        """
        {"kind":"List","metadata":{"resourceVersion":"%d"},"items":[%s]}\
        """
            .formatted(revision, items)
            .getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public synchronized Stream open(Request request) {
    var queue = new LinkedBlockingQueue<byte[]>();
    watchers.computeIfAbsent(request.path(), _ -> new ArrayList<>()).add(queue);
    objects // whatever came after the list: repeated events are no harm
        .getOrDefault(request.path(), Map.of())
        .values()
        .forEach(object -> queue.add(event("MODIFIED", object)));
    return new Stream() {
      @Override
      public int status() {
        return 200;
      }

      @Override
      public Headers headers() {
        return Headers.NONE;
      }

      @Override
      public byte @Nullable [] next() throws InterruptedException {
        byte[] frame = queue.take();
        return frame.length == 0 ? null : frame;
      }

      @Override
      public void close() {
        queue.add(END);
      }
    };
  }

  private void tell(String path, String type, String object) {
    watchers.getOrDefault(path, List.of()).forEach(queue -> queue.add(event(type, object)));
  }

  private static byte[] event(String type, String object) {
    return "{\"type\":\"%s\",\"object\":%s}"
        .formatted(type, object)
        .getBytes(StandardCharsets.UTF_8);
  }
}
