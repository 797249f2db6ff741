package dev.regroup.api.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProtobufCodecTest {

  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
  private static final GroupVersionKind MAP = new GroupVersionKind("", "v1", "ConfigMap");

  @Test
  void reads_what_go_writes_as_the_json_go_prints() throws Exception {
    for (GoBytes one : GoBytes.all()) {
      assertThat(ProtobufCodec.read(one.protobuf(), one.kind()).tree())
          .as(one.toString())
          .isEqualTo(one.tree());
    }
  }

  @Test
  void writes_the_bytes_go_writes() {
    for (GoBytes one : GoBytes.all()) {
      assertThat(ProtobufCodec.write(one.tree())).as(one.toString()).isEqualTo(one.protobuf());
    }
  }

  @Test
  void has_a_form_for_every_kind_of_the_table() {
    var recorded = GoBytes.all().stream().map(GoBytes::kind).toList();

    assertThat(Messages.kubernetes().kinds())
        .filteredOn(kind -> !kind.group().equals("*"))
        .isNotEmpty()
        .isSubsetOf(recorded);
  }

  @Test
  void custom_resources_have_no_form() {
    var jobSet = new GroupVersionKind("jobset.x-k8s.io", "v1alpha2", "JobSet");
    var otherJob = new GroupVersionKind("batch.example.com", "v1", "Job");

    assertThat(ProtobufCodec.knows(jobSet)).isFalse();
    assertThat(ProtobufCodec.knows(otherJob)).isFalse();
    assertThat(ProtobufCodec.knows(new GroupVersionKind("batch", "v1", "Job"))).isTrue();
    assertThat(ProtobufCodec.knows(new GroupVersionKind("batch", "v1", "DeleteOptions"))).isTrue();
  }

  @Test
  void writes_a_list_item_by_item_as_it_writes_the_whole() {
    List<ObjectNode> items = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      items.add(configMap("m" + i));
    }
    var head =
        Wire.tree(
            """
            {"kind": "ConfigMapList", "apiVersion": "v1",
             "metadata": {"resourceVersion": "7", "remainingItemCount": 2, "continue": "c"}}
            """);
    var whole = head.deepCopy();
    whole.putArray("items").addAll(items);

    assertThat(ProtobufCodec.writeList(head, MAP, items.size(), items::get))
        .isEqualTo(ProtobufCodec.write(whole));
  }

  @Test
  void frames_an_event_with_the_whole_object_in_it() throws Exception {
    byte[] object = ProtobufCodec.write(configMap("a"));

    byte[] frame = ProtobufCodec.writeEvent("ADDED", configMap("a"));

    var in = new WireReader(frame, 4, frame.length);
    assertThat(Arrays.copyOf(frame, 4)).isEqualTo(new byte[] {0, 0, 0, (byte) in.length()});
    assertThat(in.varint()).isEqualTo(0x0A);
    assertThat(in.text()).isEqualTo("ADDED");
    assertThat(in.varint()).isEqualTo(0x12);
    var extension = in.message();
    assertThat(extension.varint()).isEqualTo(0x0A);
    assertThat(extension.message().rest()).isEqualTo(object);
    assertThat(in.more()).isFalse();
  }

  @Test
  void skips_fields_of_a_later_version() throws Exception {
    var metadata = bytes(0x0A, 1, 'a', 0xFA, 0x3F, 2, 'x', 'y', 0xF8, 0x3F, 5);

    assertThat(read(MAP, field(1, metadata), bytes(0x79, 1, 2, 3, 4, 5, 6, 7, 8)))
        .isEqualTo(Wire.tree("{'metadata':{'name':'a'}}".replace('\'', '"')));
  }

  @Test
  void reads_numbers_that_are_packed() throws Exception {
    var security = field(4, bytes(1, 0xAC, 0x02)); // supplementalGroups

    var pod = read(POD, field(2, field(14, security)));

    assertThat(pod.at("/spec/securityContext/supplementalGroups").toString()).isEqualTo("[1,300]");
  }

  @Test
  void merges_a_message_that_comes_twice() throws Exception {
    var pod = read(POD, field(1, field(1, text("a"))), field(1, field(3, text("b"))));

    assertThat(pod.path("metadata").toString()).isEqualTo("{\"name\":\"a\",\"namespace\":\"b\"}");
  }

  @Test
  void the_kind_that_is_expected_is_the_kind_when_none_is_named() throws Exception {
    var tree = ProtobufCodec.read(envelope("", "", field(1, field(1, text("a")))), MAP).tree();

    assertThat(tree.path("kind").asText()).isEqualTo("ConfigMap");
    assertThat(tree.at("/metadata/name").asText()).isEqualTo("a");
  }

  @Test
  void says_what_is_wrong_with_the_envelope() {
    assertRefused(bytes('x', 'y', 'z'))
        .isEqualTo(
            "the object provided is unrecognized (must be of type Pod): provided data does not"
                + " appear to be a protobuf message, expected prefix [107 56 115 0] (78797a)");
    assertRefused(bytes()).contains("empty data (<empty>)");
    assertRefused(bytes('k', '8', 's', 0)).contains("empty body");
    assertRefused(bytes('k', '8', 's', 0, 0x12, 9)).contains("unexpected EOF");
  }

  @Test
  void says_what_is_wrong_with_the_message() {
    var in = "Pod in version \"v1\" cannot be handled as a Pod: ";

    assertMalformed(bytes(0x0A, 5)).isEqualTo(in + "unexpected EOF");
    assertMalformed(bytes(0x08, 5)).isEqualTo(in + "proto: wrong wireType = 0 for field Metadata");
    assertMalformed(bytes(0x02, 0)).isEqualTo(in + "proto: Pod: illegal tag 0 (wire type 2)");
    assertMalformed(bytes(0x0C)).isEqualTo(in + "proto: Pod: wiretype end group for non-group");
    assertMalformed(bytes(0x7F)).isEqualTo(in + "proto: illegal wireType 7");
    assertMalformed(bytes(0x0A, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1))
        .isEqualTo(in + "proto: negative length found during unmarshaling");
    assertMalformed(bytes(0x0A, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1))
        .isEqualTo(in + "proto: integer overflow");
  }

  @Test
  void refuses_what_nests_too_deeply() {
    var crd = new GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    byte[] schema = {};
    for (int i = 0; i < 1_000; i++) {
      schema = field(27, schema); // not
    }
    byte[] body = envelope("", "", field(2, field(7, field(4, field(1, schema)))));

    assertThatThrownBy(() -> ProtobufCodec.read(body, crd)).hasMessageEndingWith("max depth");
  }

  @Test
  void refuses_more_values_than_anybody_needs() {
    var containers = new byte[2_000_000];
    for (int i = 0; i < containers.length; i += 2) {
      containers[i] = 0x12;
    }

    assertMalformed(field(2, containers)).endsWith("the object has more than 500000 values");
  }

  private static ObjectNode configMap(String name) {
    return Wire.tree(
        """
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "%s"},
         "data": {"b": "2", "a": "1"}, "binaryData": {"c": "AAEC"}, "immutable": false}
        """
            .formatted(name));
  }

  private static ObjectNode read(GroupVersionKind kind, byte[]... fields) throws Exception {
    var tree = ProtobufCodec.read(envelope(kind.apiVersion(), kind.kind(), fields), kind).tree();
    return tree.remove(List.of("apiVersion", "kind"));
  }

  private static org.assertj.core.api.AbstractStringAssert<?> assertMalformed(byte[] message) {
    return assertRefused(envelope("v1", "Pod", message));
  }

  private static org.assertj.core.api.AbstractStringAssert<?> assertRefused(byte[] body) {
    try {
      var read = ProtobufCodec.read(body, POD);
      throw new AssertionError("was read: " + read);
    } catch (dev.regroup.api.schema.Undecodable e) {
      return assertThat(e.getMessage());
    }
  }

  private static byte[] envelope(String apiVersion, String kind, byte[]... fields) {
    var out = new WireWriter(100);
    Envelope.write(
        out,
        apiVersion,
        kind,
        () -> {
          for (int i = fields.length - 1; i >= 0; i--) {
            out.raw(fields[i]);
          }
        });
    return out.toBytes();
  }

  private static byte[] field(int number, byte[] content) {
    var out = new WireWriter(100);
    out.bytes(number, content);
    return out.toBytes();
  }

  private static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] bytes(int... values) {
    var bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }
}
