package dev.regroup.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is costly to make is made once and copied. */
class MadeOnceTest {

  private final AtomicInteger made = new AtomicInteger();
  private final MadeOnce keys =
      new MadeOnce(directory ->
          Files.writeString(directory.resolve("key"), "number " + made.incrementAndGet()));

  @TempDir Path directory;

  @Test
  void every_copy_is_the_same_and_belongs_to_its_owner() throws Exception {
    var first = keys.at(directory.resolve("a/keys"));
    var second = keys.at(directory.resolve("b/keys"));

    assertThat(first.resolve("key")).hasContent("number 1");
    assertThat(second.resolve("key")).hasContent("number 1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first.resolve("key"))))
        .isEqualTo("rw-------");
  }

  @Test
  void what_is_there_already_stays() throws Exception {
    Files.writeString(Files.createDirectory(directory.resolve("keys")).resolve("key"), "mine");

    keys.at(directory.resolve("keys"));

    assertThat(directory.resolve("keys/key")).hasContent("mine");
    assertThat(made).hasValue(0);
  }
}
