package dev.regroup.node.container;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.runtime.ContainerKey;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What the node knows about an attempt and the runtime does not: from which definition it was made,
 * and why and since when it is being stopped (DEC-50). One small file per attempt, replaced as a
 * whole, so it is complete after a {@code kill -9} at any line; a copy is kept in memory. It need
 * not survive a loss of power: no container does.
 */
final class AttemptNotes {

  /**
   * One note.
   *
   * @param stopSince {@link Instant#EPOCH} while nobody stops it
   */
  record Note(
      String image, String fingerprint, String sandbox, StopReason stop, Instant stopSince) {

    Note stopping(StopReason why, Instant since) {
      return new Note(image, fingerprint, sandbox, why, since);
    }
  }

  private static final Note UNKNOWN = new Note("", "", "", StopReason.NONE, Instant.EPOCH);

  private final Path directory;
  private final Map<ContainerKey, Note> cache = new ConcurrentHashMap<>();

  AttemptNotes(Path directory) {
    this.directory = directory;
  }

  /** The note of an attempt; an empty one when it was lost. */
  Note of(ContainerKey key) {
    return cache.computeIfAbsent(key, wanted -> read(wanted).orElse(UNKNOWN));
  }

  /** Written before the attempt is created: a record without a note cannot be. */
  void put(ContainerKey key, Note note) throws IOException {
    Files.createDirectories(directory);
    var json = Wire.object();
    json.put("image", note.image()).put("fingerprint", note.fingerprint());
    json.put("sandbox", note.sandbox());
    json.put("stop", note.stop().name()).put("stopSince", note.stopSince().toString());
    var file = file(key);
    var temporary = file.resolveSibling(file.getFileName() + ".new");
    Files.write(temporary, Wire.write(json));
    Files.move(temporary, file, ATOMIC_MOVE, REPLACE_EXISTING);
    cache.put(key, note);
  }

  /** Keeps the first reason to stop; a later one changes nothing. */
  void stopping(ContainerKey key, StopReason why, Instant since) throws IOException {
    var note = of(key);
    if (note.stop() != StopReason.NONE) {
      return;
    }
    var stopping = note.stopping(why, since);
    try {
      put(key, stopping);
    } catch (IOException e) {
      if (why != StopReason.POD_END) {
        throw e;
      }
      cache.put(key, stopping); // a full disk must not keep a pod; its end is asked for again
    }
  }

  void forget(ContainerKey key) throws IOException {
    cache.remove(key);
    Files.deleteIfExists(file(key));
  }

  /** Deletes what a crash left: notes of attempts that are not there, and drafts. */
  void keepOnly(Collection<ContainerKey> attempts) throws IOException {
    var known = attempts.stream().map(this::file).collect(Collectors.toSet());
    try (var files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (!known.contains(file)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (NoSuchFileException e) {
      return; // nothing was noted yet
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private Path file(ContainerKey key) {
    return directory.resolve(key.name() + "." + key.attempt() + ".json");
  }

  private Optional<Note> read(ContainerKey key) {
    try {
      JsonNode json = Wire.tree(Files.readAllBytes(file(key)));
      return Optional.of(
          new Note(
              json.path("image").asText(),
              json.path("fingerprint").asText(),
              json.path("sandbox").asText(),
              StopReason.valueOf(json.path("stop").asText("NONE")),
              Instant.parse(json.path("stopSince").asText())));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException | java.time.DateTimeException e) {
      return Optional.empty(); // unreadable is as good as lost: nothing decides on it alone
    }
  }
}
