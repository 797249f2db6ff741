package dev.regroup.runtime.embedded.exec;

import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime.InputEnd;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.container.ContainerRun;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.log.LogTail;
import dev.regroup.runtime.embedded.stream.Readiness;
import dev.regroup.runtime.embedded.tapes.ContainerPlan;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The commands that run beside those of containers, and who has joined a container. The commands
 * end with their container, where the kernel sees to it and where it does not, and with this
 * program: nobody would read what they write. Any thread.
 */
public final class Execs implements AutoCloseable {

  private final IsolationLevel level;
  private final TapeRunner runner;
  private final Cgroups cgroups;
  private final Readiness readiness;
  private final Map<ContainerKey, Set<ExecProcess>> running = new ConcurrentHashMap<>();
  private final Map<ContainerKey, Set<AttachedCommand>> attached = new ConcurrentHashMap<>();

  public Execs(IsolationLevel level, TapeRunner runner, Cgroups cgroups, Readiness readiness) {
    this.level = level;
    this.runner = runner;
    this.cgroups = cgroups;
    this.readiness = readiness;
  }

  /** Starts one, under the limits of its container; on a launcher thread. */
  public ExecSession start(ContainerRun run, ExecRequest request)
      throws IOException, RuntimeFailure {
    var file = run.file();
    return start(run, request, cgroups.membership(file.cgroups(), privilege(file)));
  }

  /** The same for one that is run often and ends soon, see {@link Cgroups#membershipOfProbe}. */
  public ExecSession startProbe(ContainerRun run, ExecRequest request)
      throws IOException, RuntimeFailure {
    var file = run.file();
    return start(run, request, cgroups.membershipOfProbe(file.cgroups(), privilege(file)));
  }

  private static Privilege privilege(ContainerFile file) {
    return file.spec().user().privilege();
  }

  private ExecSession start(ContainerRun run, ExecRequest request, ContainerPlan.Membership groups)
      throws IOException, RuntimeFailure {
    var key = run.key();
    try (Fd process = run.openProcess().orElseThrow(() -> notRunning(key))) {
      var place = new ExecProcess.Place(process, run.record().pid(), run.file(), groups, level);
      var started = ExecProcess.start(place, runner, readiness, request);
      keep(running, key, started);
      started.onEnd(() -> forget(running, key, started));
      if (run.record().state() != State.RUNNING) { // it ended meanwhile, and nobody would say so
        started.kill();
      }
      return started;
    }
  }

  /** Joins the command of a container; takes its output over. On a launcher thread. */
  public ExecSession attach(ContainerRun run, LogTail output, InputEnd end)
      throws IOException, RuntimeFailure {
    var key = run.key();
    var joined =
        AttachedCommand.to(run, output, end, readiness, left -> forget(attached, key, left));
    keep(attached, key, joined);
    if (run.record().state() != State.RUNNING) {
      joined.ended();
    }
    return joined;
  }

  private static <T> void keep(Map<ContainerKey, Set<T>> all, ContainerKey key, T one) {
    all.compute(
        key,
        (_, known) -> {
          Set<T> some = known == null ? ConcurrentHashMap.newKeySet() : known;
          some.add(one);
          return some;
        });
  }

  private static <T> void forget(Map<ContainerKey, Set<T>> all, ContainerKey key, T one) {
    all.computeIfPresent(
        key,
        (_, known) -> {
          known.remove(one);
          return known.isEmpty() ? null : known;
        });
  }

  private static RuntimeFailure notRunning(ContainerKey key) {
    return new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
  }

  /** The container has ended: what it left behind goes, too. */
  public void ended(ContainerKey key) {
    running.getOrDefault(key, Set.of()).forEach(ExecProcess::kill);
    attached.getOrDefault(key, Set.of()).forEach(AttachedCommand::ended);
  }

  @Override
  public void close() {
    running.values().forEach(some -> some.forEach(ExecProcess::close));
    attached.values().forEach(some -> some.forEach(AttachedCommand::detach));
  }
}
