package dev.regroup.runtime;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.UUID;

/**
 * Removes directories with everything below, whatever a container made of them. Links are removed,
 * never followed, also those that take a directory's place in the meantime: each step goes by the
 * descriptor of the directory before it. Paths may be longer than the kernel takes: what lies deep
 * is moved up to the top first, so that few descriptors are open at the same time.
 */
public final class FileTrees {

  private static final int DEPTH = 64;

  private FileTrees() {}

  /** What is not there, or vanishes meanwhile, is fine. */
  public static void delete(Path tree) throws IOException {
    boolean again = Files.isDirectory(tree, NOFOLLOW_LINKS);
    while (again) {
      again = emptied(tree); // what was moved up may not have been seen
    }
    Files.deleteIfExists(tree);
  }

  /** Returns whether there was anything in it. */
  private static boolean emptied(Path tree) throws IOException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(tree)) {
      if (stream instanceof SecureDirectoryStream<Path> top) {
        return empty(top, top, 0);
      }
      throw new IOException(tree + ": this file system cannot be walked by descriptors");
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  private static boolean empty(
      SecureDirectoryStream<Path> directory, SecureDirectoryStream<Path> top, int depth)
      throws IOException {
    boolean any = false;
    for (Path entry : directory) {
      any = true;
      remove(directory, entry.getFileName(), top, depth);
    }
    return any;
  }

  private static void remove(
      SecureDirectoryStream<Path> directory, Path name, SecureDirectoryStream<Path> top, int depth)
      throws IOException {
    try {
      if (!isDirectory(directory, name)) {
        directory.deleteFile(name);
      } else if (depth == DEPTH) {
        directory.move(name, top, Path.of("deep-" + UUID.randomUUID()));
      } else {
        try (var inner = directory.newDirectoryStream(name, NOFOLLOW_LINKS)) {
          empty(inner, top, depth + 1);
        }
        directory.deleteDirectory(name);
      }
    } catch (NoSuchFileException gone) {
      return; // somebody else was faster
    }
  }

  private static boolean isDirectory(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    return directory
        .getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS)
        .readAttributes()
        .isDirectory();
  }
}
