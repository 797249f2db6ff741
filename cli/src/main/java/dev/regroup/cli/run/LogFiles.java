package dev.regroup.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Keeps the output of every pod in a file of its own. Any thread. */
public final class LogFiles implements AutoCloseable {

  private final Path folder;
  private final Map<String, BufferedWriter> files = new HashMap<>();

  /** Into this folder, which is there. */
  public LogFiles(Path folder) {
    this.folder = folder;
  }

  synchronized void add(RunScreen.Source source, String line) {
    try {
      var file = files.get(source.pod());
      if (file == null) {
        file = Files.newBufferedWriter(folder.resolve(source.pod() + ".log"), UTF_8);
        files.put(source.pod(), file);
      }
      file.write(line);
      file.newLine();
    } catch (IOException e) { // the disk is full: the run matters more
      return;
    }
  }

  @Override
  public synchronized void close() {
    try {
      for (var file : files.values()) {
        file.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
