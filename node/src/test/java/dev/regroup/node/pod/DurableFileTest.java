package dev.regroup.node.pod;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record of a restart survives whatever a crash does to the write under way (RAC-07). */
class DurableFileTest {

  @TempDir Path directory;

  private Path path() {
    return directory.resolve("pod/record");
  }

  private String found() throws IOException {
    return DurableFile.open(path()).content().map(bytes -> new String(bytes, UTF_8)).orElse("");
  }

  @Test
  void the_last_write_is_read() throws IOException {
    var file = DurableFile.open(path());
    assertThat(file.content()).isEmpty();
    file.prepare();
    assertThat(found()).isEmpty();

    for (int i = 0; i < 5; i++) {
      file.write(("write " + i).getBytes(UTF_8));
      assertThat(found()).isEqualTo("write " + i);
    }
  }

  @Test
  void a_reopened_file_goes_on() throws IOException {
    for (int i = 0; i < 5; i++) {
      DurableFile.open(path()).write(("write " + i).getBytes(UTF_8));
      assertThat(found()).isEqualTo("write " + i);
    }
  }

  @Test
  void a_content_may_outgrow_its_slot_and_shrink_again() throws IOException {
    var file = DurableFile.open(path());
    for (int length : new int[] {1, 4080, 4081, 9000, 100_000, 3}) {
      String text = "x".repeat(length);
      file.write(text.getBytes(UTF_8));
      assertThat(found()).isEqualTo(text);
    }
  }

  @Test
  void a_torn_write_leaves_the_one_before() throws IOException {
    var random = new Random(7);
    DurableFile.open(path()).write("first".getBytes(UTF_8));
    DurableFile.open(path()).write("before".getBytes(UTF_8));
    byte[] before = Files.readAllBytes(path());
    DurableFile.open(path()).write("after, and longer".getBytes(UTF_8));
    byte[] after = Files.readAllBytes(path());

    for (int round = 0; round < 500; round++) {
      byte[] torn = before.clone();
      boolean whole = true;
      for (int i = 0; i < torn.length; i++) { // any byte of the write may have arrived, or not
        if (before[i] != after[i]) {
          boolean arrived = random.nextInt(20) != 0;
          torn[i] = arrived ? after[i] : before[i];
          whole &= arrived;
        }
      }
      Files.write(path(), torn);
      assertThat(found()).isEqualTo(whole ? "after, and longer" : "before");
    }
  }

  @Test
  void an_empty_or_foreign_file_counts_as_never_written() throws IOException {
    Files.createDirectories(directory.resolve("pod"));
    for (String text : new String[] {"", "{}", "y".repeat(20_000)}) {
      Files.writeString(path(), text);
      assertThat(found()).isEmpty();
      DurableFile.open(path()).write("now".getBytes(UTF_8));
      assertThat(found()).isEqualTo("now");
    }
  }
}
