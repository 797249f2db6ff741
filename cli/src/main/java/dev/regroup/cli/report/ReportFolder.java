package dev.regroup.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one report. Without a name of the user's own it lies below the user's state
 * directory, where the newest twenty are kept.
 */
public final class ReportFolder {

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private static final int KEPT = 20;
  private static final int LARGEST = 64 << 20; // bytes of a report that is read
  private static final String MARK = "report.json";

  private final Path path;

  private ReportFolder(Path path) {
    this.path = path;
  }

  /** The folder that somebody named. */
  public static ReportFolder named(Path path) {
    return new ReportFolder(path.toAbsolutePath().normalize());
  }

  /** A new one for a run of this name. */
  public static ReportFolder usual(
      Map<String, String> environment, Path home, String name, Instant now) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path base = state.isEmpty() ? home.resolve(".local").resolve("state") : Path.of(state);
    String safe = name.replaceAll("[^a-z0-9.-]", "_");
    return named(
        base.resolve("regroup").resolve("reports").resolve(STAMP.format(now) + "-" + safe));
  }

  public Path path() {
    return path;
  }

  /** Makes it now: who named it learns at once that nothing can be written there. */
  public void make() throws CliFailure {
    try {
      makeFolders(path);
      Files.delete(Files.createTempFile(path, ".try", ""));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** The place for logs, made now. */
  public Path makeLogs() throws CliFailure {
    try {
      Path logs = path.resolve("logs");
      makeFolders(logs);
      return logs;
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Writes the report and its page. */
  public void write(ObjectNode report) throws CliFailure {
    try {
      makeFolders(path);
      put("report.html", ReportPage.of(report));
      put(MARK, report.toPrettyString() + "\n"); // last: where it is, all is
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Lets the oldest go if there are many; only what this program has made. */
  public void tidy() {
    Path parent = path.getParent();
    if (parent == null || !parent.endsWith(Path.of("regroup", "reports"))) {
      return;
    }
    try (var folders = Files.list(parent)) {
      List<Path> all =
          folders
              .filter(folder -> folder.getFileName().toString().matches("\\d{8}-\\d{6}-.*"))
              .filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
              .sorted()
              .toList();
      for (Path old : all.subList(0, Math.max(0, all.size() - KEPT))) {
        delete(old);
      }
    } catch (IOException | UncheckedIOException e) {
      return; // the next run tries again
    }
  }

  /** A report that was written, from its file or its folder. */
  public static ObjectNode read(Path file) throws CliFailure {
    Path json = Files.isDirectory(file) ? file.resolve(MARK) : file;
    try {
      if (Files.size(json) > LARGEST) {
        throw new CliFailure(json + ": is too large for a report");
      }
      var report = Wire.tree(Files.readAllBytes(json));
      checkFormat(json, report);
      return report;
    } catch (IOException e) {
      throw new CliFailure(
          CliFailure.Code.NOT_FOUND,
          "%s: is no report: %s (name the folder that 'regroup run' told, or jobset/NAME)"
              .formatted(json, Reason.of(e)),
          e);
    }
  }

  private static void checkFormat(Path file, JsonNode report) throws CliFailure {
    if (!report.path("format").asText().equals("regroup.dev/report")) {
      throw new CliFailure(file + ": is no report (\"format\" is not \"regroup.dev/report\")");
    }
    if (report.path("version").asInt() != 1) {
      throw new CliFailure(
          "%s: version %s is not known (this program reads version 1)"
              .formatted(file, report.path("version")));
    }
  }

  private void put(String name, String text) throws IOException {
    Path file = path.resolve(name);
    Path next = Files.createTempFile(path, "." + name, ".new");
    try { // whole or not at all: somebody may read it, or write here as well
      Files.writeString(next, text);
      Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
      own(next, path);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  /** What is new belongs to whom the place belongs: under sudo to the user, not to root. */
  private static void makeFolders(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = Objects.requireNonNull(folder.getParent(), "parent");
    makeFolders(parent);
    Files.createDirectory(folder);
    own(folder, parent);
  }

  private static void own(Path made, @Nullable Path as) throws IOException {
    if (as != null) {
      Files.setOwner(made, Files.getOwner(as));
    }
  }

  private static void delete(Path tree) throws IOException {
    try (var files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private CliFailure failure(IOException e) {
    return new CliFailure(
        "%s: the report cannot be written: %s (name another place with --report)"
            .formatted(path, Reason.of(e)),
        e);
  }
}
