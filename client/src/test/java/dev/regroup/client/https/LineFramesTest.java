package dev.regroup.client.https;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineFramesTest {

  @Test
  void lines_come_out_whole_however_the_bytes_arrive() throws IOException {
    var text = "{\"a\":1}\n\n" + "x".repeat(50_000) + "\nähnlich\nrest";
    for (int step : List.of(1, 2, 3, 7, 16_384, 100_000)) {
      assertThat(read(text, step))
          .as("%d bytes at a time", step)
          .containsExactly("{\"a\":1}", "x".repeat(50_000), "ähnlich", "rest");
    }
  }

  private static List<String> read(String text, int step) throws IOException {
    var slow =
        new ByteArrayInputStream(text.getBytes(UTF_8)) {
          @Override
          public synchronized int read(byte[] into, int from, int length) {
            return super.read(into, from, Math.min(step, length));
          }
        };
    var frames = new LineFrames(slow);
    var lines = new ArrayList<String>();
    for (var frame = frames.next(); frame != null; frame = frames.next()) {
      lines.add(new String(frame, UTF_8));
    }
    return lines;
  }
}
