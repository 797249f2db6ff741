package dev.regroup.node.service;

import dev.regroup.api.Wire;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Item;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Services a test knows. */
public final class KnownServices implements Services {
  private final Map<ObjectKey, ServiceView> known = new TreeMap<>();

  /** Adds {@code namespace/name} with this {@code spec}. */
  public KnownServices put(String key, String spec) {
    var parts = key.split("/", 2);
    known.put(
        new ObjectKey(parts[0], parts[1]), ServiceView.of(Wire.tree("{\"spec\": " + spec + "}")));
    return this;
  }

  @Override
  public Optional<ServiceView> service(ObjectKey key) {
    return Optional.ofNullable(known.get(key));
  }

  @Override
  public List<Item<ServiceView>> in(String namespace) {
    return known.entrySet().stream()
        .filter(service -> service.getKey().namespace().equals(namespace))
        .map(service -> new Item<>(service.getKey(), "", "", service.getValue()))
        .toList();
  }
}
