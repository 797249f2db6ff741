package dev.regroup.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The real files of a data directory, readable by their owner only, and the lock that keeps a
 * second store out. The lock goes with the process, however it ends.
 */
final class DirectoryFiles implements FileLayer {

  private static final String LOCK = "lock";

  /**
   * Directories held by this process. The kernel's lock belongs to the process, and closing any
   * second descriptor of the lock file would drop it: so a second store of the same process must be
   * refused before it opens the file.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path directory;
  private final FileChannel lock;

  private DirectoryFiles(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  static DirectoryFiles open(Path path) throws IOException, DataDirectoryInUse {
    Files.createDirectories(path, OWNER_ONLY_DIRECTORY);
    var directory = path.toRealPath();
    if (!HELD.add(directory)) {
      throw new DataDirectoryInUse(directory, OptionalLong.of(ProcessHandle.current().pid()));
    }
    try {
      return new DirectoryFiles(directory, takeLock(directory));
    } catch (IOException | DataDirectoryInUse e) {
      HELD.remove(directory);
      throw e;
    }
  }

  private static FileChannel takeLock(Path directory) throws IOException, DataDirectoryInUse {
    var options =
        Set.<OpenOption>of(
            StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    var channel = FileChannel.open(directory.resolve(LOCK), options, OWNER_ONLY);
    try {
      if (channel.tryLock() == null) {
        throw new DataDirectoryInUse(directory, holder(channel));
      }
      writePid(channel);
      return channel;
    } catch (OverlappingFileLockException e) {
      channel.close(); // another class loader of this process holds it
      throw new DataDirectoryInUse(directory, OptionalLong.of(ProcessHandle.current().pid()));
    } catch (IOException | DataDirectoryInUse e) {
      channel.close();
      throw e;
    }
  }

  /** For the message of whom the lock keeps out. */
  private static void writePid(FileChannel channel) {
    var pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    try {
      channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
    } catch (IOException e) {
      return; // a full disk: the lock holds without the number
    }
  }

  private static OptionalLong holder(FileChannel channel) throws IOException {
    var text = ByteBuffer.allocate(20);
    channel.read(text, 0);
    try {
      var digits = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII);
      return OptionalLong.of(Long.parseLong(digits));
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // the holder has not written it yet
    }
  }

  @Override
  public String place() {
    return directory.toString();
  }

  @Override
  public List<String> list() throws IOException {
    try (var files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals(LOCK))
          .sorted()
          .toList();
    }
  }

  @Override
  public long size(String name) throws IOException {
    return Files.size(directory.resolve(name));
  }

  @Override
  public InputStream read(String name) throws IOException {
    return Files.newInputStream(directory.resolve(name));
  }

  @Override
  public Output create(String name) throws IOException {
    var options = Set.<OpenOption>of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    return new ChannelOutput(FileChannel.open(directory.resolve(name), options, OWNER_ONLY));
  }

  @Override
  public Output resume(String name, long length) throws IOException {
    var channel = FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE);
    try {
      var output = new ChannelOutput(channel);
      output.cut(length);
      return output;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.delete(directory.resolve(name));
  }

  @Override
  public void forceDirectory() throws IOException {
    try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    lock.close();
    HELD.remove(directory);
  }

  /** Room ahead is zeros that were written: blocks that belong to the file. */
  private static final class ChannelOutput implements Output {

    private static final int PIECE = 1 << 20; // 1 MiB
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PIECE).asReadOnlyBuffer();

    private final FileChannel channel;
    private long end; // the file is at least this long

    private ChannelOutput(FileChannel channel) throws IOException {
      this.channel = channel;
      this.end = channel.size();
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    @Override
    public void force() throws IOException {
      channel.force(false); // fdatasync: the length is included, time stamps are not
    }

    @Override
    public long room() {
      try {
        return Math.max(0, end - channel.position());
      } catch (IOException e) {
        return 0; // it is closed
      }
    }

    @Override
    public void reserve(long bytes) throws IOException {
      long from = Math.max(end, channel.position());
      long wanted = channel.position() + bytes;
      if (wanted <= from) {
        return;
      }
      try {
        writeZeros(from, wanted);
        end = wanted;
      } catch (IOException e) {
        channel.truncate(from); // what did not suffice is left to others
        throw e;
      }
    }

    /** Zeros in place keep the room, which a full disk would not give a second time. */
    @Override
    public void cut(long length) throws IOException {
      channel.position(length);
      try {
        end = channel.size();
        writeZeros(length, end);
      } catch (IOException e) {
        channel.truncate(length);
        end = length;
      }
      channel.force(true);
    }

    private void writeZeros(long from, long to) throws IOException {
      for (long at = from; at < to; ) {
        int length = (int) Math.min(PIECE, to - at);
        at += channel.write(ZEROS.duplicate().limit(length), at);
      }
    }

    @Override
    public void close() throws IOException {
      try (channel) {
        if (channel.size() > channel.position()) {
          channel.truncate(channel.position());
          channel.force(true);
        }
      }
    }
  }
}
