package dev.regroup.node.progress;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.rules.progress.ProgramRun;
import dev.regroup.rules.progress.ProgressStep;
import dev.regroup.rules.progress.StepLines;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RunOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The programs of one pod: what their newest run and the one before showed of themselves. Any
 * thread.
 *
 * <p>A file with a step in it is believed and the output no longer searched: who writes it means
 * it.
 */
public final class PodProgram {

  private static final Logger LOG = LoggerFactory.getLogger(PodProgram.class);

  /** So much of what came since the last look is searched: the newest 4 KB. */
  private static final int SEARCHED = 4096;

  /** A worker may write as much as it likes into its file, also more than memory can hold. */
  private static final int READ_OF_FILE = 64; // bytes

  private final ProgramWatch.Followed settings;
  private final ProgramWatch watch;
  private final InstantSource clock;
  private final StepLines lines;
  private final Map<String, Runs> containers = new HashMap<>(); // guarded by this
  private boolean hasFile; // guarded by this; somebody wrote a step into it
  private boolean looking; // guarded by this; a look is due
  private boolean fileNews; // guarded by this; the file changed since the last look
  private boolean telling; // guarded by this; news will be told soon
  private boolean tellingLater; // guarded by this
  private int news; // guarded by this
  private boolean closed; // guarded by this

  /** The newest run of a container and the one before. */
  private static final class Runs {
    int number = -1;
    ProgramRun now = ProgramRun.NEW;
    ProgramRun before = ProgramRun.NEW;
    @Nullable RunOutput output; // of the newest run, as last told
    long searched; // up to this offset
  }

  PodProgram(ProgramWatch.Followed settings, ProgramWatch watch, InstantSource clock) {
    this.settings = settings;
    this.watch = watch;
    this.clock = clock;
    this.lines = settings.lines();
  }

  PodUid pod() {
    return settings.pod();
  }

  /** A run of a container was started. */
  public synchronized void started(String container, int run) {
    if (settings.containers().contains(container)) {
      runs(container, run);
      if (Files.exists(settings.file())) {
        watch.watchFile(this, settings.file());
      }
    }
  }

  /** The newest run, of all containers together. */
  public synchronized ProgramRun now() {
    return containers.values().stream()
        .map(runs -> runs.now)
        .reduce(ProgramRun::and)
        .orElse(ProgramRun.NEW);
  }

  /** The run before the newest one. */
  public synchronized ProgramRun before() {
    return containers.values().stream()
        .map(runs -> runs.before)
        .reduce(ProgramRun::and)
        .orElse(ProgramRun.NEW);
  }

  /** Rises when there is something to tell. */
  public synchronized int news() {
    return news;
  }

  /** Looks now at what has come: somebody needs to know how far the program got. */
  public void lookNow() {
    synchronized (this) {
      search();
    }
  }

  /** All runs are over: what the file says now is their last word, and soon it is emptied. */
  public synchronized void ended() {
    if (watch.watchesFile(this)) {
      readFile();
    }
  }

  /** Nobody wants to know any more. */
  public void close() {
    synchronized (this) {
      closed = true;
    }
    watch.forget(this);
  }

  synchronized void wrote(RunOutput output) {
    if (closed || !settings.containers().contains(output.key().name())) {
      return;
    }
    var runs = runs(output.key().name(), output.key().run());
    if (runs.number != output.key().run()) {
      return; // an older one
    }
    boolean first = runs.now.firstOutput() == null;
    runs.now = runs.now.wrote(output.first(), output.last());
    runs.output = output;
    if (first) {
      tellSoon();
    }
    lookSoon();
  }

  synchronized void fileChanged() {
    if (!closed) {
      fileNews = true;
      lookSoon();
    }
  }

  private Runs runs(String container, int run) {
    var runs = containers.computeIfAbsent(container, _ -> new Runs());
    if (run > runs.number) {
      boolean known = runs.number >= 0;
      searchOutput(runs); // its last words
      runs.before = runs.now;
      runs.now = known ? runs.now.next() : ProgramRun.NEW;
      runs.number = run;
      runs.output = null;
      runs.searched = 0;
    }
    return runs;
  }

  private void lookSoon() {
    if (!looking) {
      looking = true;
      watch.lookSoon(this::look);
    }
  }

  private synchronized void look() {
    looking = false;
    if (!closed) {
      search();
    }
  }

  private void search() {
    if (fileNews) {
      fileNews = false;
      readFile();
    }
    containers.values().forEach(this::searchOutput);
  }

  private void readFile() {
    try (var in = Files.newInputStream(settings.file())) {
      String text = new String(in.readNBytes(READ_OF_FILE), UTF_8);
      ProgressStep.parse(text, clock.instant())
          .ifPresent(step -> {
            hasFile = true;
            containers.values().forEach(runs -> stepped(runs, step));
          });
    } catch (IOException e) { // being replaced
      LOG.debug("{} cannot be read", settings.file(), e);
    }
  }

  private void searchOutput(Runs runs) {
    var output = runs.output;
    if (output == null || output.size() == runs.searched || hasFile) {
      return;
    }
    try {
      byte[] bytes = output.newest(runs.searched, SEARCHED);
      int whole = lastSeparator(bytes) + 1;
      runs.searched = output.size() - (bytes.length - whole);
      String text = new String(bytes, 0, whole, UTF_8);
      for (String line : text.split("[\\n\\r]+", -1)) {
        lines.read(line, output.last()).ifPresent(step -> stepped(runs, step));
      }
      // A bar that is redrawn ends with nothing; digits at its end may go on.
      String open = new String(bytes, whole, bytes.length - whole, UTF_8);
      lines.read(withoutOpenNumber(open), output.last()).ifPresent(step -> stepped(runs, step));
    } catch (IOException e) { // the pod may be gone already; steps are a comfort
      LOG.debug("the output of {} cannot be read", output.key(), e);
    }
  }

  private static int lastSeparator(byte[] bytes) {
    int at = bytes.length - 1;
    while (at >= 0 && bytes[at] != '\n' && bytes[at] != '\r') {
      at--;
    }
    return at;
  }

  private static String withoutOpenNumber(String text) {
    int end = text.length();
    while (end > 0 && "0123456789/ ".indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return end == text.length() ? text : text.substring(0, end);
  }

  private void stepped(Runs runs, ProgressStep step) {
    var before = runs.now;
    runs.now = before.stepped(step);
    if (runs.now.equals(before)) {
      return;
    }
    if (before.lastStep() == null || !Objects.equals(runs.now.caughtUp(), before.caughtUp())) {
      tellSoon();
    } else if (!tellingLater) {
      tellingLater = true;
      watch.tellLater(this::tell);
    }
  }

  private void tellSoon() {
    if (!telling) {
      telling = true;
      watch.tellSoon(this::tell);
    }
  }

  private void tell() {
    synchronized (this) {
      telling = false;
      tellingLater = false;
      if (closed) {
        return;
      }
      news++;
    }
    settings.onNews().run();
  }

  /** The file a worker may write its step into, made empty. */
  public static void makeFile(Path file) throws IOException {
    Files.writeString(file, "");
    file.toFile().setWritable(true, false); // whatever user the worker is
  }
}
