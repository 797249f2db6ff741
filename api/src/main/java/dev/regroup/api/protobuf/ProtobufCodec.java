package dev.regroup.api.protobuf;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Undecodable;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Reads and writes bodies of type {@code application/vnd.kubernetes.protobuf}: objects, lists and
 * the events of a watch. Kinds that Kubernetes does not have, such as JobSet, have no such form.
 *
 * <p>Safe for use by many threads.
 */
public final class ProtobufCodec {

  private static final int LIST_METADATA = 1;
  private static final int LIST_ITEM = 2;
  private static final int EVENT_TYPE = 1;
  private static final int EVENT_OBJECT = 2;

  private ProtobufCodec() {}

  /** Whether objects of this kind have a protobuf form. */
  public static boolean knows(GroupVersionKind kind) {
    return Messages.kubernetes().ofKind(kind).isPresent();
  }

  /** Whether the bytes begin as every protobuf body does and no other. */
  public static boolean recognizes(byte[] body) {
    return Envelope.begins(body);
  }

  /**
   * Reads an object. A kind that is not known has nothing but its name: who asks for a kind judges
   * whether it is the right one.
   *
   * @param expected what the body is when it does not say it
   * @throws Undecodable with the whole text of the answer
   */
  public static Document read(byte[] body, GroupVersionKind expected) throws Undecodable {
    Envelope envelope;
    try {
      envelope = Envelope.open(body);
    } catch (Undecodable e) {
      throw new Undecodable(Decoder.unrecognized(expected, e, body));
    }
    var kind =
        GroupVersionKind.of(
            envelope.apiVersion().isEmpty() ? expected.apiVersion() : envelope.apiVersion(),
            envelope.kind().isEmpty() ? expected.kind() : envelope.kind());
    ObjectNode tree = Wire.object();
    tree.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
    var messages = Messages.kubernetes();
    var message = messages.ofKind(kind);
    if (message.isPresent()) {
      try {
        new MessageReader(messages).read(envelope.message(), message.get(), tree);
      } catch (Undecodable e) {
        throw new Undecodable(
            Decoder.handled(kind.kind(), kind.version(), expected) + e.getMessage());
      }
    }
    return new Document(tree, List.of());
  }

  /** Writes an object of a kind that is known. */
  public static byte[] write(ObjectNode object) {
    var out = new WireWriter(1024);
    write(object, out);
    return out.toBytes();
  }

  private static void write(ObjectNode object, WireWriter out) {
    var messages = Messages.kubernetes();
    var kind = kindOf(object);
    Message message = messageOf(kind);
    Envelope.write(
        out,
        kind.apiVersion(),
        kind.kind(),
        () -> new MessageWriter(messages, out).write(message, object));
  }

  /**
   * Writes a list whose items are made one by one and not kept, from the last to the first.
   *
   * @param head the list without items
   * @param itemKind what every item is, whether it says so or not
   */
  public static byte[] writeList(
      ObjectNode head, GroupVersionKind itemKind, int size, IntFunction<ObjectNode> items) {
    var messages = Messages.kubernetes();
    var kind = kindOf(head);
    Message message = messageOf(itemKind);
    Message metadata = messages.named("meta.v1.ListMeta");
    var out = new WireWriter(1024 * (size + 1));
    var writer = new MessageWriter(messages, out);
    Envelope.write(
        out,
        kind.apiVersion(),
        kind.kind(),
        () -> {
          for (int i = size - 1; i >= 0; i--) {
            int before = out.size();
            writer.write(message, items.apply(i));
            out.message(LIST_ITEM, before);
          }
          int before = out.size();
          writer.write(metadata, head.withObjectProperty("metadata"));
          out.message(LIST_METADATA, before);
        });
    return out.toBytes();
  }

  /** One event of a watch as it is on the wire, its length in front. */
  public static byte[] writeEvent(String type, ObjectNode object) {
    var out = new WireWriter(2048);
    write(object, out);
    out.message(1, 0); // the object is raw bytes of an extension
    out.message(EVENT_OBJECT, 0);
    out.text(EVENT_TYPE, type);
    out.fixed32BigEndian(out.size());
    return out.toBytes();
  }

  private static GroupVersionKind kindOf(ObjectNode object) {
    return GroupVersionKind.of(
        object.path("apiVersion").asText(""), object.path("kind").asText(""));
  }

  private static Message messageOf(GroupVersionKind kind) {
    return Messages.kubernetes()
        .ofKind(kind)
        .orElseThrow(() -> new IllegalArgumentException("no protobuf form of " + kind));
  }
}
