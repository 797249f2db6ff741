package dev.regroup.server.objects;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ObjectBytesTest {
  private static final ObjectBytes BYTES =
      new ObjectBytes(new GroupVersionKind("", "v1", "ConfigMap"));

  @Test
  void puts_the_revision_where_it_can_be_changed_without_decoding() {
    var stored = encode(9, "{'data':{'k':'v'},'metadata':{'name':'a','resourceVersion':'5'}}");

    assertThat(text(stored))
        .isEqualTo(
            "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":"
                + "{\"resourceVersion\":\"9\",\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
    assertThat(text(BYTES.at(1234, stored))).isEqualTo(text(stored).replace("\"9\"", "\"1234\""));
  }

  @Test
  void leaves_kind_and_version_out_of_an_item_of_a_list() {
    var out = new ByteArrayOutputStream();

    BYTES.writeItem(encode(9, "{'metadata':{'name':'a'}}"), out);

    assertThat(text(out.toByteArray()))
        .isEqualTo("{\"metadata\":{\"resourceVersion\":\"9\",\"name\":\"a\"}}");
  }

  @Test
  void shows_no_revision_in_a_dry_run() {
    var object = Wire.tree("{\"metadata\":{\"name\":\"a\"}}");

    assertThat(text(BYTES.withoutRevision(object)))
        .isEqualTo("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}");
  }

  private static byte[] encode(long revision, String json) {
    return BYTES.encoder(Wire.tree(json.replace('\'', '"'))).encode(revision);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
