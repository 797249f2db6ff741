package dev.regroup.runtime.embedded.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrashTest {

  @TempDir Path folder;

  @Test
  void what_is_taken_is_gone_at_once_and_deleted_when_it_closes() throws Exception {
    Path taken = filled("taken");

    try (var trash = new Trash(folder.resolve("trash"))) {
      trash.take(taken);
      assertThat(taken).doesNotExist();
    }

    assertThat(folder.resolve("trash")).isEmptyDirectory();
  }

  @Test
  void whoever_has_no_patience_leaves_the_rest_to_the_next() throws Exception {
    var hasty = new Trash(folder.resolve("trash"), TrashTest::takeForEver);
    hasty.take(filled("one"));
    hasty.take(filled("two"));

    hasty.close(Duration.ZERO);

    assertThat(folder.resolve("trash")).isNotEmptyDirectory();
    new Trash(folder.resolve("trash")).close();
    assertThat(folder.resolve("trash")).isEmptyDirectory();
  }

  private static void takeForEver(Path tree) {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // no patience is left
    }
  }

  private Path filled(String name) throws IOException {
    Path directory = Files.createDirectory(folder.resolve(name));
    Files.writeString(directory.resolve("file"), "x");
    return directory;
  }
}
