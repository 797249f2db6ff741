package dev.regroup.server.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.api.Wire;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProtobufBodyTest {

  @Test
  void reads_a_config_map() throws Exception {
    var metadata = message(text(1, "a"), text(2, ""), field(8, message()), entry(11, "l", "1"));
    var body = envelope("v1", "ConfigMap", message(field(1, metadata), entry(2, "k", "v")));

    assertThat(ProtobufBody.read(body).tree())
        .isEqualTo(
            Wire.tree(
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
                    + "{\"name\":\"a\",\"labels\":{\"l\":\"1\"}},\"data\":{\"k\":\"v\"}}"));
  }

  @Test
  void says_which_kinds_it_cannot_read() {
    assertThatThrownBy(() -> ProtobufBody.read(envelope("batch/v1", "Job", message())))
        .hasMessage(
            "this server does not read Job of batch/v1 as protobuf (send application/json)");
  }

  @Test
  void never_fails_in_any_other_way_whatever_the_bytes() throws Exception {
    var random = new Random(1);
    var good =
        envelope("v1", "ConfigMap", message(field(1, message(text(1, "a"))), entry(2, "k", "v")));
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      var bytes = Arrays.copyOf(good, random.nextInt(good.length) + 1);
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        ProtobufBody.read(bytes);
      } catch (ProtobufBody.BadProtobuf e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }

  private static byte[] envelope(String apiVersion, String kind, byte[] raw) {
    var type = message(text(1, apiVersion), text(2, kind));
    return join("k8s\0".getBytes(StandardCharsets.UTF_8), field(1, type), field(2, raw));
  }

  private static byte[] entry(int number, String key, String value) {
    return field(number, message(text(1, key), text(2, value)));
  }

  private static byte[] text(int number, String value) {
    return field(number, value.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] field(int number, byte[] content) {
    return join(new byte[] {(byte) (number << 3 | 2), (byte) content.length}, content);
  }

  private static byte[] message(byte[]... fields) {
    return join(fields);
  }

  private static byte[] join(byte[]... parts) {
    var out = new ByteArrayOutputStream();
    for (var part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
