package dev.regroup.node.progress;

import dev.regroup.rules.progress.StepLines;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RunOutput;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Watches the programs of all pods of a node. Output is noted as the runtime tells of it; a thread
 * of its own looks for steps in the newest part of it, at a pace that bounds what all programs
 * together cost, however much they write. Any thread.
 */
public final class ProgramWatch implements AutoCloseable {

  /** One program is looked at no more often than this: 100 ms. */
  private static final Duration PACE = Duration.ofMillis(100);

  /** And all of them together no more than a thousand times a second. */
  private static final Duration PACE_PER_POD = Duration.ofMillis(1);

  /** What begins or is back is told so soon: other news may come along. */
  private static final Duration SOON = Duration.ofMillis(300);

  /** How far a program is, is told no more often than this. */
  private static final Duration LATER = Duration.ofSeconds(5);

  /** And by all together no more than fifty times a second. */
  private static final Duration LATER_PER_POD = Duration.ofMillis(20);

  private final InstantSource clock;
  private final Map<PodUid, PodProgram> programs = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().daemon().name("progress").factory(),
          new ThreadPoolExecutor.DiscardPolicy()); // after the end nobody wants to know
  private final ProgressFiles files = new ProgressFiles();

  public ProgramWatch(InstantSource clock) {
    this.clock = clock;
    thread.setRemoveOnCancelPolicy(true);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /**
   * A pod's programs.
   *
   * @param containers whose output counts
   * @param file that a program may write its step into
   * @param onNews told when there is something to tell about the pod
   */
  public record Followed(
      PodUid pod, Set<String> containers, StepLines lines, Path file, Runnable onNews) {}

  public PodProgram follow(Followed pod) {
    var program = new PodProgram(pod, this, clock);
    programs.put(pod.pod(), program);
    return program;
  }

  /** The runtime's news. */
  public void wrote(RunOutput output) {
    var program = programs.get(output.key().pod());
    if (program != null) {
      program.wrote(output);
    }
  }

  void forget(PodProgram program) {
    programs.remove(program.pod(), program);
    files.forget(program);
  }

  void watchFile(PodProgram program, Path file) {
    files.watch(program, file);
  }

  boolean watchesFile(PodProgram program) {
    return files.watches(program);
  }

  /** Looks at a program when its pace allows it again. */
  void lookSoon(Runnable look) {
    after(longer(PACE, PACE_PER_POD), look);
  }

  void tellSoon(Runnable tell) {
    after(SOON, tell);
  }

  void tellLater(Runnable tell) {
    after(longer(LATER, LATER_PER_POD), tell);
  }

  private Duration longer(Duration least, Duration each) {
    var all = each.multipliedBy(programs.size());
    return all.compareTo(least) > 0 ? all : least;
  }

  private void after(Duration pause, Runnable task) {
    var _ = thread.schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    files.close();
    try {
      thread.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
