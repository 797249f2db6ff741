package dev.regroup.client.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.regroup.client.ServerJson;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory for what workers saw when they met a bug: one file per worker, the newest of its
 * bugs, of the newest ten workers. Only the owner may read them. Never fails: who calls it has
 * enough trouble already. Any thread.
 *
 * <p>What is written down is the argument of a decision, and those carry no values of variables,
 * secrets or mounted files.
 */
public final class BugFiles {

  /** Writes nothing down. */
  public static final BugFiles NONE = new BugFiles(null, InstantSource.system());

  static final int MOST = 10;

  private static final Logger LOG = LoggerFactory.getLogger(BugFiles.class);
  private static final JsonMapper JSON = ServerJson.MAPPER;
  private static final int LONGEST_NAME = 200;

  private final @Nullable Path directory;
  private final InstantSource clock;

  private BugFiles(@Nullable Path directory, InstantSource clock) {
    this.directory = directory;
    this.clock = clock;
  }

  /** Files go below this directory, which is made when the first bug is met. */
  public static BugFiles in(Path directory, InstantSource clock) {
    return new BugFiles(directory, clock);
  }

  /** Notes what this worker saw; one log line says where. */
  public void note(String worker, Record seen, Throwable bug) {
    var folder = directory;
    if (folder == null) {
      return;
    }
    try {
      var file = folder.resolve(name(worker));
      write(file, content(worker, seen, bug));
      LOG.warn("what {} saw when it failed is in {}", worker, file);
    } catch (IOException | RuntimeException e) {
      LOG.warn("what {} saw when it failed cannot be written down: {}", worker, e.toString());
    }
  }

  /** What was seen, as the decision takes it. */
  public static <T extends Record> T read(Path file, Class<T> type) throws IOException {
    return RecordJson.read(JSON.readTree(Files.readAllBytes(file)).path("seen"), type);
  }

  private JsonNode content(String worker, Record seen, Throwable bug) {
    var json = JSON.createObjectNode();
    json.put("worker", worker).put("at", clock.instant().toString());
    var places = json.put("bug", bug.toString()).putArray("places");
    for (var frame : bug.getStackTrace()) {
      places.add(frame.toString());
    }
    json.set("seen", RecordJson.write(seen));
    return json;
  }

  private static String name(String worker) {
    var safe = worker.replaceAll("[^A-Za-z0-9.-]", "_");
    return safe.substring(0, Math.min(safe.length(), LONGEST_NAME)) + ".json";
  }

  private synchronized void write(Path file, JsonNode content) throws IOException {
    var folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException(file + ": no directory");
    }
    makeDirectory(folder);
    Files.deleteIfExists(file); // the rights of a file are those it was made with
    var rights = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (var channel = Files.newByteChannel(file, options, rights);
        var out = Channels.newOutputStream(channel)) {
      out.write(content.toPrettyString().getBytes(UTF_8));
    }
    Files.setLastModifiedTime(file, FileTime.from(clock.instant()));
    forgetOldest(folder);
  }

  private static void makeDirectory(Path folder) throws IOException {
    try {
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      // made by an earlier bug
    }
  }

  private static void forgetOldest(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      var old = files.sorted(Comparator.comparing(BugFiles::time).reversed()).skip(MOST).toList();
      for (var file : old) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static FileTime time(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return FileTime.fromMillis(0); // deleted by hand meanwhile
    }
  }
}
