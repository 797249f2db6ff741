package dev.regroup.sim.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Item;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;

/** One revision of one object. Its tree is never changed; each reader reads it once. */
public final class Stored {

  private final Kind kind;
  private final ObjectKey key;
  private final String uid;
  private final long version;
  private final ObjectNode tree;
  private final Map<Function<?, ?>, Object> views = new IdentityHashMap<>(4);

  Stored(Kind kind, ObjectNode tree) {
    this.kind = kind;
    this.tree = tree;
    var metadata = tree.path("metadata");
    this.key = new ObjectKey(metadata.path("namespace").asText(""), metadata.path("name").asText());
    this.uid = metadata.path("uid").asText();
    this.version = metadata.path("resourceVersion").asLong();
  }

  public Kind kind() {
    return kind;
  }

  public ObjectKey key() {
    return key;
  }

  public String name() {
    return key.name();
  }

  public String uid() {
    return uid;
  }

  public long version() {
    return version;
  }

  public ObjectNode tree() {
    return tree;
  }

  public boolean deleting() {
    return tree.path("metadata").hasNonNull("deletionTimestamp");
  }

  /** The same reader object must be handed in each time, or it reads again. */
  @SuppressWarnings("unchecked") // kept by the reader that made it
  public <V> V as(Function<? super ObjectNode, ? extends V> reader) {
    var known = views.get(reader);
    if (known == null) {
      known = reader.apply(tree);
      views.put(reader, known);
    }
    return (V) known;
  }

  public <V> Item<V> item(Function<? super ObjectNode, ? extends V> reader) {
    return new Item<>(key, uid, Long.toString(version), as(reader));
  }
}
