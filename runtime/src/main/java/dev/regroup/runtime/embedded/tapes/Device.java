package dev.regroup.runtime.embedded.tapes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A device file of a container's /dev.
 *
 * @param name its path below /dev
 * @param number as {@code makedev} packs it
 */
public record Device(String name, Type type, long number, int mode, int uid, int gid) {

  public enum Type {
    CHARACTER,
    BLOCK
  }

  /** What every container has, the same as with containerd. */
  public static final List<Device> DEFAULT =
      List.of(
          character("null", 1, 3),
          character("zero", 1, 5),
          character("full", 1, 7),
          character("random", 1, 8),
          character("urandom", 1, 9),
          character("tty", 5, 0));

  /** Containers have their own of these. */
  private static final Set<String> OWN =
      Set.of("pts", "ptmx", "shm", "mqueue", "fd", "stdin", "stdout", "stderr", "console");

  private static final Path DEV = Path.of("/dev");
  private static final int S_IFMT = 0170000;
  private static final int S_IFCHR = 0020000;
  private static final int S_IFBLK = 0060000;
  private static final int MOST = 4096;

  private static Device character(String name, int major, int minor) {
    return new Device(name, Type.CHARACTER, ((long) major << 8) | minor, 0666, 0, 0);
  }

  public int major() {
    return (int) (number >> 8) & 0xfff;
  }

  public int minor() {
    return (int) ((number & 0xff) | ((number >> 12) & 0xfff00));
  }

  /** Every device this machine shows now, for containers that may use all of them. */
  public static List<Device> ofHost() throws IOException {
    var found = new ArrayList<Device>();
    collect(DEV, found);
    return List.copyOf(found);
  }

  private static void collect(Path directory, List<Device> found) throws IOException {
    try (var entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        Path name = DEV.relativize(entry);
        if (OWN.contains(name.toString()) || found.size() == MOST) {
          continue;
        }
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          collect(entry, found);
        } else {
          add(name.toString(), entry, found);
        }
      }
    } catch (java.nio.file.NoSuchFileException e) {
      return; // unplugged while we looked
    }
  }

  private static void add(String name, Path file, List<Device> found) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(file, "unix:mode,rdev,uid,gid", LinkOption.NOFOLLOW_LINKS);
    int mode = (int) facts.getOrDefault("mode", 0);
    int kind = mode & S_IFMT;
    if (kind == S_IFCHR || kind == S_IFBLK) {
      found.add(
          new Device(
              name,
              kind == S_IFCHR ? Type.CHARACTER : Type.BLOCK,
              (long) facts.getOrDefault("rdev", 0L),
              mode & 07777,
              (int) facts.getOrDefault("uid", 0),
              (int) facts.getOrDefault("gid", 0)));
    }
  }
}
