package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.container.ContainerRun;
import dev.regroup.runtime.embedded.container.GuardedStarts;
import dev.regroup.runtime.embedded.container.Runs;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.log.Logs;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.sandbox.Sandboxes;
import dev.regroup.runtime.embedded.supervision.Leftovers;
import dev.regroup.runtime.embedded.supervision.Supervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * Takes over what an earlier program left: sandboxes and runs whose processes live, and the records
 * of those that ended meanwhile. Once, before anything is started.
 */
final class Adoption {

  private static final System.Logger LOG = System.getLogger(Adoption.class.getName());

  private final Layout layout;
  private final Sandboxes sandboxes;
  private final Runs runs;
  private final Logs logs;
  private final Trash trash;
  private final Function<ContainerFile, ContainerRun> runOf;
  private final GuardedStarts.Follower follower;

  /**
   * Makes it.
   *
   * @param runs gets those that are found
   * @param follower told of each whose command lives
   */
  Adoption(
      Layout layout,
      Sandboxes sandboxes,
      Runs runs,
      Logs logs,
      Trash trash,
      Function<ContainerFile, ContainerRun> runOf,
      GuardedStarts.Follower follower) {
    this.layout = layout;
    this.sandboxes = sandboxes;
    this.runs = runs;
    this.logs = logs;
    this.trash = trash;
    this.runOf = runOf;
    this.follower = follower;
  }

  void adopt(List<PodUid> pods) throws IOException {
    for (PodUid pod : pods) {
      sandboxes.adopt(pod);
      for (Path container : Layout.list(layout.containers(pod))) {
        for (Path directory : Layout.list(container)) {
          var key =
              new ContainerKey(
                  pod,
                  container.getFileName().toString(),
                  Integer.parseInt(directory.getFileName().toString()));
          adopt(key, directory);
        }
      }
      endStrays(pod);
    }
  }

  /** A container that ended while nobody watched may have left processes in a shared namespace. */
  private void endStrays(PodUid pod) {
    var sandbox = sandboxes.of(pod).filter(Sandbox::sharesProcesses).flatMap(Sandbox::supervisor);
    if (sandbox.isPresent()) {
      var supervisors =
          runs.ofPod(pod).stream().flatMapToInt(ContainerRun::supervisor).boxed().toList();
      Leftovers.killStrays(sandbox.get().pid(), supervisors);
    }
  }

  private void adopt(ContainerKey key, Path directory) throws IOException {
    var file = ContainerFile.read(directory.resolve(Layout.SPEC), key);
    if (file.isEmpty()) {
      trash.take(directory); // a crash came before the record: nothing was started
      return;
    }
    Supervisor.awaitSetup(directory, ContainerRun.argv(key), start -> start.child() != 0);
    var run = runOf.apply(file.get());
    runs.add(run);
    run.attach();
    endUnlessLimited(run);
    if (run.record().state() == State.RUNNING) {
      follower.follow(run);
    } else {
      logs.found(layout.log(key));
    }
  }

  /** Nobody can put a process back into a group that is gone: the container starts anew. */
  private static void endUnlessLimited(ContainerRun run) throws IOException {
    int pid = run.record().pid();
    if (pid != 0 && !Cgroups.hold(run.file().cgroups(), pid)) {
      LOG.log(System.Logger.Level.WARNING, "{0} has lost its limits and is ended", run.key());
      run.signal(Signal.SIGKILL);
    }
  }

  /** Whether a process with these arguments belongs to a pod that has no record any more. */
  boolean nobodysPod(List<String> argv) {
    return argv.size() > 1
        && (argv.getFirst().equals(Sandbox.NAME) || argv.getFirst().equals(ContainerRun.NAME))
        && !Files.isDirectory(layout.pod(new PodUid(argv.get(1))));
  }
}
