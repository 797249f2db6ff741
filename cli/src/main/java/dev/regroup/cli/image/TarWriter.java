package dev.regroup.cli.image;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Writes a tar of the POSIX form, always the same for the same files: everything belongs to root,
 * is of one time, and can be read by everybody; of the modes only "may be executed" stays.
 */
final class TarWriter implements Closeable {

  private static final int BLOCK = 512;
  private static final int NAME = 100;
  private static final int PREFIX = 155;

  private final OutputStream out;

  TarWriter(OutputStream out) {
    this.out = out;
  }

  /** A file or folder with everything below it, under its own name. */
  void tree(Path root, String name) throws IOException {
    Path path = root.resolve(name);
    if (Files.isSymbolicLink(path)) {
      header(name, '2', 0777, 0, Files.readSymbolicLink(path).toString());
    } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      directory(name);
      try (var children = Files.list(path)) {
        for (Path child : children.sorted().toList()) {
          tree(root, name + "/" + child.getFileName());
        }
      }
    } else {
      long size = Files.size(path);
      header(name, '0', Files.isExecutable(path) ? 0755 : 0644, size, "");
      Files.copy(path, out);
      fill(size);
    }
  }

  void directory(String name) throws IOException {
    header(name + "/", '5', 0755, 0, "");
  }

  void file(String name, byte[] bytes) throws IOException {
    header(name, '0', 0644, bytes.length, "");
    out.write(bytes);
    fill(bytes.length);
  }

  private void header(String name, char type, int mode, long size, String link) throws IOException {
    byte[] block = new byte[BLOCK];
    int cut = name.length() <= NAME ? -1 : name.lastIndexOf('/', PREFIX);
    if (name.length() > NAME && (cut < 0 || name.length() - cut - 1 > NAME)) {
      throw new IOException("a name too long for a tar: " + name);
    }
    text(block, 0, NAME, name.substring(cut + 1));
    octal(block, 100, 8, mode);
    octal(block, 108, 8, 0);
    octal(block, 116, 8, 0);
    octal(block, 124, 12, size);
    octal(block, 136, 12, ImageArchive.SECONDS);
    Arrays.fill(block, 148, 156, (byte) ' '); // the sum counts its own field as spaces
    block[156] = (byte) type;
    text(block, 157, NAME, link);
    text(block, 257, 8, "ustar\u000000");
    text(block, 345, PREFIX, cut < 0 ? "" : name.substring(0, cut));
    int sum = 0;
    for (byte b : block) {
      sum += b & 0xff;
    }
    text(block, 148, 8, String.format(Locale.ROOT, "%06o\0 ", sum));
    out.write(block);
  }

  private static void text(byte[] block, int at, int room, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > room) {
      throw new IOException("too long for a tar: " + text);
    }
    System.arraycopy(bytes, 0, block, at, bytes.length);
  }

  private static void octal(byte[] block, int at, int room, long number) throws IOException {
    String digits = Long.toOctalString(number);
    text(block, at, room, "0".repeat(room - 1 - digits.length()) + digits);
  }

  private void fill(long size) throws IOException {
    int rest = (int) (size % BLOCK);
    if (rest > 0) {
      out.write(new byte[BLOCK - rest]);
    }
  }

  @Override
  public void close() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.close();
  }
}
