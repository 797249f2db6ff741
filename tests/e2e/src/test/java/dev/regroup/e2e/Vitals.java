package dev.regroup.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * What a running program holds: figures that must not grow with what it has done.
 *
 * @param zombies children that ended and were not collected
 * @param resident bytes of memory
 * @param heap bytes of live objects
 * @param objects the same without byte arrays: the store keeps the newest changes of each
 *     collection as bytes, and until it has as many as it keeps that grows
 * @param files files and directories in its data directory
 */
record Vitals(
    int zombies, long resident, long heap, long objects, int descriptors, int threads, int files) {

  private static final Duration PATIENCE = Duration.ofMinutes(4);

  static final long MEBI = 1 << 20;

  /** All of the heap is there from the beginning: what else becomes resident is a leak. */
  static final Map<String, String> FIXED_HEAP =
      Map.of("JAVA_TOOL_OPTIONS", "-Xms160m -Xmx160m -XX:+AlwaysPreTouch");

  /** Takes them once what is cleaned up in the background is gone and they stand still. */
  static Vitals of(Program program, Path data) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    var process = Path.of("/proc/" + program.pid());
    var heap = Heap.of(program.pid());
    Vitals last = look(process, data, heap);
    for (int same = 0; same < 3 && System.nanoTime() < deadline; ) {
      LockSupport.parkNanos(200_000_000); // no event tells that it has come to rest
      var next = look(process, data, heap);
      boolean rests =
          next.zombies == 0
              && next.files == last.files
              && next.descriptors == last.descriptors
              && count(data.resolve("runtime").resolve("trash")) == 1;
      same = rests ? same + 1 : 0;
      last = next;
    }
    return last;
  }

  private static Vitals look(Path process, Path data, Heap heap) throws IOException {
    return new Vitals(
        zombies(process.getFileName().toString()),
        resident(process),
        heap.all(),
        heap.objects(),
        entries(process.resolve("fd")),
        entries(process.resolve("task")),
        count(data));
  }

  @Override
  public String toString() {
    return "%d zombies, %.1f MB resident, %.1f MB heap (%.1f MB without bytes), %d descriptors, %d threads, %d files"
        .formatted(
            zombies,
            (double) resident / MEBI,
            (double) heap / MEBI,
            (double) objects / MEBI,
            descriptors,
            threads,
            files);
  }

  private static int zombies(String parent) throws IOException {
    int found = 0;
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        try {
          String stat = Files.readString(entry.resolve("stat"));
          String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 3);
          if (fields[0].equals("Z") && fields[1].equals(parent)) {
            found++;
          }
        } catch (IOException e) {
          continue; // it ended while we looked
        }
      }
    }
    return found;
  }

  /** Bytes of memory a process has now. */
  static long resident(Path process) throws IOException {
    for (String line : Files.readAllLines(process.resolve("status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    throw new AssertionError("the program has ended");
  }

  private record Heap(long all, long objects) {

    /** One class in the list: number, instances, bytes, name. */
    private static final Pattern LINE = Pattern.compile(" *[0-9]+: +[0-9]+ +([0-9]+) +(\\S+).*");

    /** The gaps that collecting leaves. */
    private static final String FILLER = "FillerElement;";

    /** Lists the objects, which collects garbage first. */
    static Heap of(long pid) throws IOException, InterruptedException {
      String tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
      try (var jcmd =
          Program.command(Map.of(), List.of(tool, Long.toString(pid), "GC.class_histogram"))) {
        if (jcmd.awaitExit(PATIENCE) != 0) {
          throw new AssertionError(jcmd.output());
        }
        long all = 0;
        long objects = 0;
        for (String line : jcmd.output().lines().toList()) {
          var found = LINE.matcher(line);
          if (found.matches() && !found.group(2).endsWith(FILLER)) {
            long bytes = Long.parseLong(found.group(1));
            all += bytes;
            objects += found.group(2).equals("[B") ? 0 : bytes;
          }
        }
        return new Heap(all, objects);
      }
    }
  }

  private static int entries(Path directory) throws IOException {
    try (var entries = Files.list(directory)) {
      return (int) entries.count();
    }
  }

  private static int count(Path tree) throws IOException {
    while (true) {
      try (var files = Files.walk(tree)) {
        return (int) files.count();
      } catch (UncheckedIOException | NoSuchFileException e) {
        Thread.onSpinWait(); // one vanished while we looked
      }
    }
  }
}
