package dev.regroup.store;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Files in memory that keep, in a crash, only what the port promises: bytes that were forced, names
 * that were made safe by forcing the directory. The crash comes at a chosen operation; after it
 * every operation fails. Chosen operations can also be refused, as by a disk that is full or
 * failing for a while; of what was appended then, a part may be there.
 */
final class ForgetfulFiles implements FileLayer {

  /** What a crash does with bytes and names that were not forced. */
  enum Loss {
    /** All of it is gone. */
    EVERYTHING,
    /** A part of it is there, cut off or damaged anywhere. */
    SOMETHING
  }

  private static final class Content {
    private byte[] seen = {};
    private byte[] safe = {};
    private int zeros; // behind either, until the file is closed

    private byte[] withZeros(byte[] bytes) {
      return Arrays.copyOf(bytes, bytes.length + zeros);
    }
  }

  private final Map<String, Content> names = new TreeMap<>();
  private final Map<String, Content> safeNames = new TreeMap<>();
  private final List<Consumer<Map<String, Content>>> unsafeSteps = new ArrayList<>();
  private int operations;
  private int crashAt = Integer.MAX_VALUE;
  private boolean crashed;
  private int refuseFrom = Integer.MAX_VALUE;
  private int refuseTo = Integer.MAX_VALUE;
  private long bytesLeft = Long.MAX_VALUE;

  /** Refuses so many operations from the one of this number on, counted from now. */
  synchronized ForgetfulFiles refusing(int operation, int count) {
    refuseFrom = operations + operation;
    refuseTo = refuseFrom + count;
    return this;
  }

  synchronized boolean refused() {
    return operations >= refuseFrom;
  }

  /** The disk takes so many bytes more, room ahead included; files give back nothing. */
  synchronized ForgetfulFiles limitedTo(long bytes) {
    bytesLeft = bytes;
    return this;
  }

  /** Crashes at the operation of this number, counted from now. */
  synchronized ForgetfulFiles crashingAt(int operation) {
    crashAt = operations + operation;
    return this;
  }

  synchronized int operations() {
    return operations;
  }

  synchronized boolean crashed() {
    return crashed;
  }

  /** Returns the files as the next start finds them. */
  synchronized ForgetfulFiles afterCrash(Loss loss, RandomGenerator random) {
    crashed = true;
    var directory = new TreeMap<>(safeNames);
    if (loss == Loss.SOMETHING) {
      unsafeSteps.stream().filter(_ -> random.nextBoolean()).forEach(s -> s.accept(directory));
    }
    var next = new ForgetfulFiles();
    directory.forEach((name, content) -> {
      var copy = new Content();
      copy.seen = content.withZeros(loss == Loss.SOMETHING ? torn(content, random) : content.safe);
      copy.safe = copy.seen;
      next.names.put(name, copy);
      next.safeNames.put(name, copy);
    });
    return next;
  }

  /** Any prefix of what came after the safe bytes may be there, and one byte of it may be wrong. */
  private static byte[] torn(Content content, RandomGenerator random) {
    int safe = content.safe.length;
    if (content.seen.length <= safe) {
      return random.nextBoolean() ? content.seen.clone() : content.safe.clone(); // cut off, or not
    }
    int length = safe + random.nextInt(content.seen.length - safe + 1);
    byte[] result = Arrays.copyOf(content.seen, length);
    if (length > safe && random.nextInt(4) == 0) {
      result[safe + random.nextInt(length - safe)] ^= (byte) (1 + random.nextInt(255));
    }
    return result;
  }

  /** Returns the files as the next start finds them when only the process died. */
  synchronized ForgetfulFiles afterKill() {
    crashed = true;
    var next = new ForgetfulFiles();
    names
        .values()
        .forEach(content -> {
          content.seen = content.withZeros(content.seen);
          content.zeros = 0;
        });
    next.names.putAll(names);
    next.safeNames.putAll(safeNames);
    next.unsafeSteps.addAll(unsafeSteps);
    return next;
  }

  /** Returns the same files with other bytes in one of them. */
  synchronized ForgetfulFiles with(String name, byte[] bytes) {
    var next = new ForgetfulFiles();
    names.forEach((each, content) -> {
      var copy = new Content();
      copy.seen = each.equals(name) ? bytes.clone() : content.seen.clone();
      copy.safe = copy.seen;
      next.names.put(each, copy);
      next.safeNames.put(each, copy);
    });
    return next;
  }

  synchronized byte[] bytes(String name) throws IOException {
    return find(name).seen.clone();
  }

  private void step() throws IOException {
    operations++;
    if (operations >= crashAt) {
      crashed = true;
    }
    if (crashed) {
      throw new IOException("crash");
    }
    if (operations >= refuseFrom && operations < refuseTo) {
      throw new IOException("refused");
    }
  }

  private int take(long bytes) {
    long taken = Math.min(bytes, bytesLeft);
    bytesLeft -= taken;
    return (int) taken;
  }

  private Content find(String name) throws IOException {
    var content = names.get(name);
    if (content == null) {
      throw new IOException(name + ": no such file");
    }
    return content;
  }

  private void change(Consumer<Map<String, Content>> change) {
    change.accept(names);
    unsafeSteps.add(change);
  }

  @Override
  public String place() {
    return "memory";
  }

  @Override
  public synchronized List<String> list() {
    return List.copyOf(names.keySet());
  }

  @Override
  public synchronized long size(String name) throws IOException {
    return find(name).seen.length;
  }

  @Override
  public synchronized InputStream read(String name) throws IOException {
    return new ByteArrayInputStream(find(name).seen);
  }

  @Override
  public synchronized Output create(String name) throws IOException {
    step();
    if (names.containsKey(name)) {
      throw new IOException(name + ": exists");
    }
    var content = new Content();
    change(directory -> directory.put(name, content));
    return new MemoryOutput(content);
  }

  @Override
  public synchronized Output resume(String name, long length) throws IOException {
    step();
    var content = find(name);
    content.seen = Arrays.copyOf(content.seen, (int) length);
    return new MemoryOutput(content);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    step();
    var content = find(from);
    change(directory -> {
      directory.remove(from);
      directory.put(to, content);
    });
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    step();
    find(name);
    change(directory -> directory.remove(name));
  }

  @Override
  public synchronized void forceDirectory() throws IOException {
    step();
    safeNames.clear();
    safeNames.putAll(names);
    unsafeSteps.clear();
  }

  @Override
  public void close() {}

  private final class MemoryOutput implements Output {
    private static final int MOST_ZEROS = 100; // of room ahead, so many are found in a crash

    private final Content content;
    private long room;

    private MemoryOutput(Content content) {
      this.content = content;
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      synchronized (ForgetfulFiles.this) {
        int inRoom = (int) Math.min(room, bytes.remaining());
        int fits = inRoom + take(bytes.remaining() - inRoom);
        int old = content.seen.length;
        byte[] longer = Arrays.copyOf(content.seen, old + fits);
        bytes.get(longer, old, fits);
        room -= inRoom;
        if (!crashed) {
          content.seen = longer; // the crash may come after the bytes reached the file
        }
        step();
        if (bytes.hasRemaining()) {
          throw new IOException("No space left on device");
        }
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (ForgetfulFiles.this) {
        step();
        content.safe = content.seen.clone();
        content.zeros = (int) Math.min(room, MOST_ZEROS);
      }
    }

    @Override
    public long room() {
      return room;
    }

    @Override
    public void reserve(long bytes) throws IOException {
      synchronized (ForgetfulFiles.this) {
        step();
        if (bytes - room > bytesLeft) {
          throw new IOException("No space left on device");
        }
        var _ = take(bytes - room);
        room = bytes;
      }
    }

    @Override
    public void cut(long length) throws IOException {
      synchronized (ForgetfulFiles.this) {
        room += content.seen.length - length;
        content.seen = Arrays.copyOf(content.seen, (int) length);
        step();
        content.safe = content.seen.clone();
      }
    }

    @Override
    public void close() {
      content.zeros = 0;
    }
  }
}
