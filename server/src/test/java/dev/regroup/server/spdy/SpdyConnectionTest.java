package dev.regroup.server.spdy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.Adler32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

class SpdyConnectionTest {

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Deflater packer = new Deflater();
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private final List<SpdyStream> began = new ArrayList<>();

  SpdyConnectionTest() {
    packer.setDictionary(HeaderDictionary.bytes());
  }

  @Test
  void knows_the_dictionary_everybody_has() {
    var sum = new Adler32();
    sum.update(HeaderDictionary.bytes());

    assertThat(sum.getValue()).isEqualTo(0xe3c6a7c2L); // as clients name it
  }

  @Test
  void reads_the_headers_of_streams_and_answers_each() throws Exception {
    begin(1, Map.of("Streamtype", "error", "port", "80"));
    begin(3, Map.of("streamtype", "data"));

    serve();

    assertThat(began).extracting(s -> s.header("streamtype")).containsExactly("error", "data");
    assertThat(began.getFirst().header("port")).isEqualTo("80");
    var answers = ByteBuffer.wrap(heard.toByteArray());
    var unpacker = new Inflater();
    for (int number : List.of(1, 3)) {
      assertThat(answers.getInt()).isEqualTo(0x8003_0002);
      int length = answers.getInt();
      assertThat(answers.getInt()).isEqualTo(number);
      byte[] packed = new byte[length - 4];
      answers.get(packed);
      assertThat(unpacked(unpacker, packed)).containsExactly(0, 0, 0, 0);
    }
  }

  @Test
  void gives_each_stream_its_bytes_and_its_end() throws Exception {
    begin(1, Map.of());
    begin(3, Map.of());
    data(3, "th", 0);
    data(1, "one", 1);
    data(3, "ree", 1);

    serve();

    assertThat(all(began.get(0))).isEqualTo("one");
    assertThat(all(began.get(1))).isEqualTo("three");
  }

  @Test
  void sends_pings_of_the_client_back() throws Exception {
    control(SpdyFrame.PING, ByteBuffer.allocate(4).putInt(7).array());

    serve();

    assertThat(heard.toByteArray()).containsExactly(0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 7);
  }

  @Test
  void tells_who_reads_that_a_stream_was_given_up() throws Exception {
    begin(1, Map.of());
    data(1, "lost", 0);
    control(SpdyFrame.RST_STREAM, ByteBuffer.allocate(8).putInt(1).putInt(5).array());

    serve();

    assertThatThrownBy(() -> began.getFirst().read()).isInstanceOf(IOException.class);
  }

  @Test
  void leaves_a_client_whose_numbers_do_not_grow() {
    begin(3, Map.of());
    begin(1, Map.of());

    assertThatThrownBy(this::serve).isInstanceOf(SpdyFailure.class);
  }

  @Test
  void leaves_a_client_whose_headers_never_end() {
    begin(1, Map.of("long", "x".repeat(1 << 20)));

    assertThatThrownBy(this::serve).isInstanceOf(SpdyFailure.class);
  }

  @Test
  void survives_any_bytes() throws Exception {
    for (long seed = 0; seed < 20_000; seed++) {
      var random = new Random(seed);
      said.reset();
      var bytes = new byte[random.nextInt(120)];
      random.nextBytes(bytes);
      if (bytes.length > 8 && random.nextInt(4) > 0) { // the usual beginning
        ByteBuffer.wrap(bytes)
            .putInt(random.nextBoolean() ? 0x8003_0000 | random.nextInt(10) : random.nextInt(4))
            .putInt(random.nextInt(40));
      }
      said.writeBytes(bytes);
      try {
        serve();
      } catch (SpdyFailure expected) {
        assertThat(expected).as("seed %d", seed).hasMessageNotContaining("null");
      }
    }
  }

  private void serve() throws IOException, InterruptedException {
    var in = new ByteArrayInputStream(said.toByteArray());
    var connection = new SpdyConnection(in, heard::writeBytes, began::add);
    connection.serve();
  }

  private void begin(int number, Map<String, String> headers) {
    var plain = new ByteArrayOutputStream();
    plain.writeBytes(ByteBuffer.allocate(4).putInt(headers.size()).array());
    headers.forEach((name, value) -> {
      for (String text : List.of(name, value)) {
        plain.writeBytes(ByteBuffer.allocate(4).putInt(text.length()).array());
        plain.writeBytes(text.getBytes(UTF_8));
      }
    });
    packer.setInput(plain.toByteArray());
    byte[] packed = new byte[1 << 20];
    int count = packer.deflate(packed, 0, packed.length, Deflater.SYNC_FLUSH);
    control(
        SpdyFrame.SYN_STREAM,
        ByteBuffer.allocate(10 + count).putInt(number).position(10).put(packed, 0, count).array());
  }

  private void control(int type, byte[] body) {
    said.writeBytes(
        ByteBuffer.allocate(8 + body.length)
            .putInt(0x8003_0000 | type)
            .putInt(body.length)
            .put(body)
            .array());
  }

  private void data(int number, String text, int flags) {
    byte[] bytes = text.getBytes(UTF_8);
    said.writeBytes(
        ByteBuffer.allocate(8 + bytes.length)
            .putInt(number)
            .putInt(flags << 24 | bytes.length)
            .put(bytes)
            .array());
  }

  private static String all(SpdyStream stream) throws Exception {
    var all = new ByteArrayOutputStream();
    for (byte[] piece = stream.read(); piece != null; piece = stream.read()) {
      all.writeBytes(piece);
    }
    return all.toString(UTF_8);
  }

  private static byte[] unpacked(Inflater unpacker, byte[] packed) throws Exception {
    unpacker.setInput(packed);
    byte[] plain = new byte[100];
    int count = unpacker.inflate(plain);
    if (unpacker.needsDictionary()) {
      unpacker.setDictionary(HeaderDictionary.bytes());
      count = unpacker.inflate(plain);
    }
    return java.util.Arrays.copyOf(plain, count);
  }
}
