package dev.regroup.server.body;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Document;
import dev.regroup.server.resource.Meta;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bodies in Kubernetes' protobuf envelope, for the small kinds that {@code kubectl create} and
 * leader election send this way. Larger kinds are refused with a text that says what to do.
 *
 * <p>{@link #FIELDS} is the whole knowledge: per message its fields as {@code name=number:type}. Go
 * writes empty texts and zeros of fields that are not pointers, so those count as absent; {@code ?}
 * marks fields where a zero is a value. {@code *} marks lists.
 */
final class ProtobufBody {
  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final int DEEPEST = 50;

  private static final String FIELDS =
      """
      ObjectMeta name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 \
      generation=7:int creationTimestamp=8:time deletionTimestamp=9:time \
      deletionGracePeriodSeconds=10:int? labels=11:map annotations=12:map \
      ownerReferences=13*:OwnerReference finalizers=14*
      OwnerReference kind=1 name=3 uid=4 apiVersion=5 controller=6:bool? \
      blockOwnerDeletion=7:bool?
      LocalObjectReference name=1
      ObjectReference kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
      Namespace metadata=1:ObjectMeta spec=2:NamespaceSpec status=3:NamespaceStatus
      NamespaceSpec finalizers=1*
      NamespaceStatus phase=1
      ConfigMap metadata=1:ObjectMeta data=2:map binaryData=3:bytemap immutable=4:bool?
      Secret metadata=1:ObjectMeta data=2:bytemap type=3 stringData=4:map immutable=5:bool?
      ServiceAccount metadata=1:ObjectMeta secrets=2*:ObjectReference \
      imagePullSecrets=3*:LocalObjectReference automountServiceAccountToken=4:bool?
      Lease metadata=1:ObjectMeta spec=2:LeaseSpec
      LeaseSpec holderIdentity=1? leaseDurationSeconds=2:int? acquireTime=3:microtime \
      renewTime=4:microtime leaseTransitions=5:int? strategy=6 preferredHolder=7
      Event metadata=1:ObjectMeta involvedObject=2:ObjectReference reason=3 message=4 \
      source=5:EventSource firstTimestamp=6:time lastTimestamp=7:time count=8:int type=9 \
      eventTime=10:microtime series=11:EventSeries action=12 related=13:ObjectReference \
      reportingComponent=14 reportingInstance=15
      EventSource component=1 host=2
      EventSeries count=1:int lastObservedTime=2:microtime
      """;

  private static final Map<String, Map<Integer, Field>> MESSAGES = messages();

  /** One field: how it is called and what its bytes mean. */
  private record Field(String name, String type, boolean repeated, boolean keepZero) {}

  /** The bytes are not what they should be, or of a kind that cannot be read. */
  static final class BadProtobuf extends Exception {
    BadProtobuf(String message) {
      super(message, null, false, false);
    }
  }

  private ProtobufBody() {}

  static Document read(byte[] body) throws BadProtobuf {
    if (body.length < MAGIC.length || !Arrays.equals(Arrays.copyOf(body, MAGIC.length), MAGIC)) {
      throw new BadProtobuf("the body has no protobuf envelope");
    }
    var envelope = new Reader(body, MAGIC.length, body.length);
    var apiVersion = "";
    var kind = "";
    Reader raw = new Reader(body, 0, 0);
    while (envelope.more()) {
      int tag = envelope.tag();
      switch (tag >>> 3) {
        case 1 -> {
          var type = envelope.message();
          while (type.more()) {
            switch (type.tag() >>> 3) {
              case 1 -> apiVersion = type.text();
              case 2 -> kind = type.text();
              default -> throw new BadProtobuf("the envelope cannot be read");
            }
          }
        }
        case 2 -> raw = envelope.message();
        default -> envelope.skip(tag);
      }
    }
    boolean known =
        MESSAGES.containsKey(kind) && List.of("v1", "coordination.k8s.io/v1").contains(apiVersion);
    if (!known) {
      throw new BadProtobuf(
          "this server does not read %s of %s as protobuf (send application/json)"
              .formatted(kind, apiVersion));
    }
    var tree = Wire.object();
    tree.put("apiVersion", apiVersion).put("kind", kind);
    fill(tree, raw, kind, 0);
    return new Document(tree, List.of());
  }

  private static void fill(ObjectNode tree, Reader in, String message, int depth)
      throws BadProtobuf {
    if (depth > DEEPEST) {
      throw new BadProtobuf("the object is nested too deeply");
    }
    var fields = MESSAGES.getOrDefault(message, Map.of());
    while (in.more()) {
      int tag = in.tag();
      var field = fields.get(tag >>> 3);
      if (field == null) {
        in.skip(tag); // newer than this server, or managed fields
      } else {
        put(tree, in, field, depth);
      }
    }
  }

  private static void put(ObjectNode tree, Reader in, Field field, int depth) throws BadProtobuf {
    var name = field.name();
    switch (field.type()) {
      case "string" -> {
        var text = in.text();
        if (field.repeated()) {
          tree.withArray(name).add(text);
        } else if (!text.isEmpty() || field.keepZero()) {
          tree.put(name, text);
        }
      }
      case "int" -> {
        long number = in.varint();
        if (number != 0 || field.keepZero()) {
          tree.put(name, number);
        }
      }
      case "bool" -> tree.put(name, in.varint() != 0);
      case "time" -> putTime(tree, name, in.message(), ChronoUnit.SECONDS);
      case "microtime" -> putTime(tree, name, in.message(), ChronoUnit.MICROS);
      case "map", "bytemap" -> putEntry(tree, in, field);
      default -> {
        var part = field.repeated() ? tree.withArray(name).addObject() : tree.putObject(name);
        fill(part, in.message(), field.type(), depth + 1);
      }
    }
  }

  private static void putEntry(ObjectNode tree, Reader in, Field field) throws BadProtobuf {
    var entry = in.message();
    var key = "";
    byte[] value = {};
    while (entry.more()) {
      switch (entry.tag() >>> 3) {
        case 1 -> key = entry.text();
        case 2 -> value = entry.bytes();
        default -> throw new BadProtobuf("a map entry cannot be read");
      }
    }
    var map =
        tree.get(field.name()) instanceof ObjectNode there ? there : tree.putObject(field.name());
    map.put(
        key,
        field.type().equals("map")
            ? new String(value, StandardCharsets.UTF_8)
            : Base64.getEncoder().encodeToString(value));
  }

  /** An empty message is Go's zero time: no time at all. */
  private static void putTime(ObjectNode tree, String name, Reader in, ChronoUnit unit)
      throws BadProtobuf {
    long seconds = 0;
    long nanos = 0;
    while (in.more()) {
      switch (in.tag() >>> 3) {
        case 1 -> seconds = in.varint();
        case 2 -> nanos = in.varint();
        default -> throw new BadProtobuf("a time cannot be read");
      }
    }
    if (seconds == 0 && nanos == 0) {
      return;
    }
    var instant = Instant.ofEpochSecond(seconds, nanos);
    tree.put(
        name,
        unit == ChronoUnit.SECONDS
            ? Meta.stamp(instant)
            : Meta.stamp(instant).replace("Z", "") + ".%06dZ".formatted(nanos / 1000));
  }

  private static Map<String, Map<Integer, Field>> messages() {
    var messages = new HashMap<String, Map<Integer, Field>>();
    FIELDS
        .lines()
        .forEach(line -> {
          var words = line.split(" +", -1);
          var fields = new HashMap<Integer, Field>();
          for (int i = 1; i < words.length; i++) {
            addField(fields, words[i]);
          }
          messages.put(words[0], fields);
        });
    return messages;
  }

  private static void addField(Map<Integer, Field> fields, String word) {
    boolean keepZero = word.endsWith("?");
    var text = keepZero ? word.substring(0, word.length() - 1) : word;
    int equals = text.indexOf('=');
    int colon = text.indexOf(':');
    var number = text.substring(equals + 1, colon < 0 ? text.length() : colon);
    boolean repeated = number.endsWith("*");
    fields.put(
        Integer.parseInt(repeated ? number.substring(0, number.length() - 1) : number),
        new Field(
            text.substring(0, equals),
            colon < 0 ? "string" : text.substring(colon + 1),
            repeated,
            keepZero));
  }

  /** Reads the wire format between two positions; never beyond. */
  private static final class Reader {
    private final byte[] bytes;
    private final int end;
    private int at;

    Reader(byte[] bytes, int from, int end) {
      this.bytes = bytes;
      this.at = from;
      this.end = end;
    }

    boolean more() {
      return at < end;
    }

    int tag() throws BadProtobuf {
      return (int) varint();
    }

    long varint() throws BadProtobuf {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        if (at >= end) {
          throw new BadProtobuf("unexpected end of protobuf input");
        }
        byte next = bytes[at++];
        value |= (long) (next & 0x7F) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw new BadProtobuf("a number is too long");
    }

    Reader message() throws BadProtobuf {
      long length = varint();
      if (length < 0 || length > end - at) {
        throw new BadProtobuf("unexpected end of protobuf input");
      }
      var part = new Reader(bytes, at, at + (int) length);
      at += (int) length;
      return part;
    }

    byte[] bytes() throws BadProtobuf {
      var part = message();
      return Arrays.copyOfRange(bytes, part.at, part.end);
    }

    String text() throws BadProtobuf {
      return new String(bytes(), StandardCharsets.UTF_8);
    }

    void skip(int tag) throws BadProtobuf {
      switch (tag & 7) {
        case 0 -> varint();
        case 1 -> advance(8);
        case 2 -> message();
        case 5 -> advance(4);
        default -> throw new BadProtobuf("an unknown wire type");
      }
    }

    private void advance(int count) throws BadProtobuf {
      if (count > end - at) {
        throw new BadProtobuf("unexpected end of protobuf input");
      }
      at += count;
    }
  }
}
