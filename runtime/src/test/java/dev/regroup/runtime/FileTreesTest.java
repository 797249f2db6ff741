package dev.regroup.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a container leaves in a directory of its own, the directory can be removed. */
class FileTreesTest {

  private static final int LEVELS = 6000; // three bytes each: no path of the kernel is that long

  @TempDir Path folder;

  @Test
  void a_tree_deeper_than_any_path_does_not_stay() throws Exception {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    deepen(tree);

    FileTrees.delete(tree);

    assertThat(tree).doesNotExist();
  }

  @Test
  void links_are_removed_and_what_they_lead_to_stays() throws Exception {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("file"), "kept");
    Path tree = Files.createDirectories(folder.resolve("tree/inner"));
    Files.createSymbolicLink(tree.resolve("directory"), outside);
    Files.createSymbolicLink(tree.resolve("file"), outside.resolve("file"));
    Files.createSymbolicLink(tree.resolve("nothing"), Path.of("nowhere"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), outside);

    FileTrees.delete(folder.resolve("tree"));
    FileTrees.delete(link);

    assertThat(folder.resolve("tree")).doesNotExist();
    assertThat(Files.isSymbolicLink(link)).isFalse();
    assertThat(outside.resolve("file")).hasContent("kept");
  }

  @Test
  void what_is_not_there_is_gone_already() throws Exception {
    FileTrees.delete(folder.resolve("nothing"));

    assertThat(folder).isEmptyDirectory();
  }

  /** From below: short chains are hung into each other. */
  private void deepen(Path tree) throws IOException {
    Path chain = Files.createDirectory(folder.resolve("chain0"));
    for (int level = 0; level < LEVELS; level += 200) {
      Path next = Files.createDirectory(folder.resolve("chain" + (level + 200)));
      Path end = next;
      for (int i = 0; i < 200; i++) {
        end = Files.createDirectory(end.resolve("dd"));
      }
      Files.writeString(end.resolve("file"), "x");
      Files.move(chain, end.resolve("dd"));
      chain = next;
    }
    Files.move(chain, tree.resolve("dd"));
  }
}
