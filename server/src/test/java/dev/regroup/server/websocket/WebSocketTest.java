package dev.regroup.server.websocket;

import static dev.regroup.server.websocket.ScriptedClient.frame;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketTest {

  private static final int LAST = 0x80;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 125, 126, 127, 65_535, 65_536, WebSocket.LONGEST_MESSAGE})
  void receives_messages_of_every_length(int length) throws Exception {
    var payload = new byte[length];
    new Random(length).nextBytes(payload);

    var message = socket(frame(LAST | FrameInput.BINARY, payload)).receive();

    assertThat(Objects.requireNonNull(message).bytes()).isEqualTo(payload);
  }

  @Test
  void joins_fragments_and_answers_a_ping_between_them() throws Exception {
    var client =
        client(
            frame(FrameInput.TEXT, bytes("Hel")),
            frame(LAST | FrameInput.PING, bytes("are you there")),
            frame(FrameInput.CONTINUATION, bytes("l")),
            frame(LAST | FrameInput.CONTINUATION, bytes("o")));

    var message = Objects.requireNonNull(new WebSocket(client).receive());

    assertThat(new String(message.bytes(), UTF_8)).isEqualTo("Hello");
    assertThat(message.text()).isTrue();
    assertThat(client.heard.toByteArray()).startsWith(LAST | FrameInput.PONG, 13);
  }

  @Test
  void answers_a_good_bye_and_says_nothing_after_it() throws Exception {
    var client = client(frame(LAST | FrameInput.CLOSE, new byte[] {3, (byte) 0xe8}));
    var socket = new WebSocket(client);

    assertThat(socket.receive()).isNull();
    socket.send(bytes("too late"));

    assertThat(client.heard.toByteArray()).containsExactly(LAST | FrameInput.CLOSE, 2, 3, 0xe8);
  }

  @Test
  void sends_each_message_as_one_frame_without_a_mask() throws Exception {
    var client = client();

    new WebSocket(client).send((byte) 1, bytes("output and more"), 6);

    assertThat(client.heard.toByteArray())
        .isEqualTo(new byte[] {(byte) 0x82, 7, 1, 'o', 'u', 't', 'p', 'u', 't'});
  }

  @Test
  void is_over_for_a_client_that_does_not_mask() {
    expectEnd(new byte[] {(byte) 0x82, 1, 7}, BrokenTalk.PROTOCOL_ERROR);
  }

  @Test
  void is_over_for_a_client_that_uses_bits_nobody_agreed_about() {
    expectEnd(frame(LAST | 0x40 | FrameInput.BINARY, bytes("x")), BrokenTalk.PROTOCOL_ERROR);
  }

  @Test
  void is_over_for_a_client_that_cuts_a_control_frame() {
    expectEnd(frame(FrameInput.PING, bytes("x")), BrokenTalk.PROTOCOL_ERROR);
  }

  @Test
  void is_over_for_a_client_that_goes_on_with_nothing() {
    expectEnd(frame(LAST | FrameInput.CONTINUATION, bytes("x")), BrokenTalk.PROTOCOL_ERROR);
  }

  @Test
  void is_over_for_text_that_is_none() {
    expectEnd(frame(LAST | FrameInput.TEXT, new byte[] {(byte) 0xff}), BrokenTalk.BAD_TEXT);
  }

  @Test
  void never_keeps_more_than_the_longest_message() {
    expectEnd(
        new byte[] {(byte) 0x82, (byte) 0xff, 0x7f, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0},
        BrokenTalk.TOO_BIG);
    var half = new byte[WebSocket.LONGEST_MESSAGE / 2 + 1];
    expectEnd(
        joined(frame(FrameInput.BINARY, half), frame(FrameInput.CONTINUATION, half)),
        BrokenTalk.TOO_BIG);
  }

  @Test
  void survives_any_bytes() throws Exception {
    for (long seed = 0; seed < 20_000; seed++) {
      var random = new Random(seed);
      var bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 2 && random.nextBoolean()) { // the usual beginning
        bytes[0] = (byte) (LAST | random.nextInt(11));
        bytes[1] = (byte) (0x80 | random.nextInt(20));
      }
      var socket = new WebSocket(new ScriptedClient(bytes, random));
      try {
        while (socket.receive() != null) {
          Thread.onSpinWait();
        }
      } catch (BrokenTalk expected) {
        assertThat(expected.code()).as("seed %d", seed).isBetween(1002, 1009);
      }
    }
  }

  private static void expectEnd(byte[] said, int code) {
    var client = client(said);

    assertThatThrownBy(() -> new WebSocket(client).receive()).isInstanceOf(IOException.class);

    byte[] heard = client.heard.toByteArray();
    assertThat(heard[0]).isEqualTo((byte) (LAST | FrameInput.CLOSE));
    assertThat((heard[2] & 0xff) << 8 | (heard[3] & 0xff)).isEqualTo(code);
  }

  private static WebSocket socket(byte[]... said) {
    return new WebSocket(client(said));
  }

  private static ScriptedClient client(byte[]... said) {
    return new ScriptedClient(joined(said), new Random(1));
  }

  private static byte[] joined(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
