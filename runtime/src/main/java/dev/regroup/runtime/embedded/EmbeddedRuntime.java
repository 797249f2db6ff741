package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecResult;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import dev.regroup.runtime.PodNetwork;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RunOutput;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.cgroup.CgroupTree;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.container.ContainerPlanner;
import dev.regroup.runtime.embedded.container.ContainerRun;
import dev.regroup.runtime.embedded.container.ContainerStarter;
import dev.regroup.runtime.embedded.container.GuardedStarts;
import dev.regroup.runtime.embedded.container.NextRuns;
import dev.regroup.runtime.embedded.container.Runs;
import dev.regroup.runtime.embedded.container.Stopper;
import dev.regroup.runtime.embedded.exec.ExecOutput;
import dev.regroup.runtime.embedded.exec.Execs;
import dev.regroup.runtime.embedded.files.BootMark;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.harm.ContainerHarm;
import dev.regroup.runtime.embedded.log.LogRetention;
import dev.regroup.runtime.embedded.log.LogTail;
import dev.regroup.runtime.embedded.log.Logs;
import dev.regroup.runtime.embedded.root.HostView;
import dev.regroup.runtime.embedded.root.PreparedRoots;
import dev.regroup.runtime.embedded.sandbox.PodConnector;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.sandbox.Sandboxes;
import dev.regroup.runtime.embedded.stream.Readiness;
import dev.regroup.runtime.embedded.supervision.Exits;
import dev.regroup.runtime.embedded.supervision.Launcher;
import dev.regroup.runtime.embedded.supervision.Preparer;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.Strays;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs containers on this machine. Opening it over a directory adopts everything an earlier run
 * left running; closing it lets everything run. See the package for the threads and the rule about
 * files.
 */
public final class EmbeddedRuntime implements ContainerRuntime {

  private static final System.Logger LOG = System.getLogger(EmbeddedRuntime.class.getName());

  /** Whoever stops a program whose pods go on starts it again soon, and waits for its end. */
  private static final Duration SHORT_SWEEP = Duration.ofSeconds(1);

  private final Layout layout;
  private final Fd lock;
  private final InstantSource clock;
  private final BootMark boot;
  private final boolean sameBoot;
  private final Launcher launcher = new Launcher();
  private final Stopper stopper = new Stopper(launcher);
  private final Exits exits;
  private final Logs logs;
  private final Trash trash;
  private final TapeRunner runner;
  private final Sandboxes sandboxes;
  private final Preparer preparer = new Preparer();
  private final PreparedRoots roots;
  private final NextRuns nextRuns;
  private final Cgroups cgroups;
  private final GuardedStarts starts;
  private final Readiness readiness;
  private final Execs execs;
  private final Runs runs = new Runs();
  private final KeptOutput output;
  private final List<Consumer<PodUid>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * What a runtime needs.
   *
   * @param directory its own, made if missing; also the one thing that identifies it
   * @param level how far containers are separated from the machine
   * @param hidden directories containers must not see, usually one that {@code directory} lies in
   * @param hiddenFiles files containers must not see, also if they are written later
   */
  public record Settings(
      Path directory,
      IsolationLevel level,
      List<Path> hidden,
      List<Path> hiddenFiles,
      Optional<PodNetwork> network,
      LogRetention logs,
      InstantSource clock) {
    public Settings {
      directory = directory.toAbsolutePath().normalize();
      hidden = List.copyOf(hidden);
      hiddenFiles = List.copyOf(hiddenFiles);
    }

    public static Settings in(Path directory) {
      return new Settings(
          directory,
          IsolationLevel.FULL,
          List.of(directory),
          List.of(),
          Optional.empty(),
          LogRetention.DEFAULT,
          InstantSource.system());
    }

    public Settings withNetwork(PodNetwork network) {
      return new Settings(directory, level, hidden, hiddenFiles, Optional.of(network), logs, clock);
    }

    public Settings hiding(Path path) {
      return new Settings(directory, level, with(hidden, path), hiddenFiles, network, logs, clock);
    }

    public Settings hidingFile(Path file) {
      return new Settings(directory, level, hidden, with(hiddenFiles, file), network, logs, clock);
    }

    private static List<Path> with(List<Path> known, Path path) {
      var more = new ArrayList<>(known);
      more.add(path.toAbsolutePath().normalize());
      return more;
    }

    public Settings keeping(LogRetention logs) {
      return new Settings(directory, level, hidden, hiddenFiles, network, logs, clock);
    }
  }

  /** Opens the runtime and adopts what runs. Blocks; the first thing a program does with it. */
  public static EmbeddedRuntime open(Settings settings) throws IOException {
    return open(settings, CgroupTree.find());
  }

  /** With control groups of containers in this tree. */
  public static EmbeddedRuntime open(Settings settings, CgroupTree tree) throws IOException {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Files.createDirectories(settings.directory(), ownerOnly);
    var runtime = new EmbeddedRuntime(settings, tree);
    var adoption = runtime.adoption();
    adoption.adopt(runtime.pods());
    Strays.end(runtime.layout.directory(), adoption::nobodysPod);
    runtime.boot.write(); // what came before this start of the machine is noted as lost
    runtime.sweepCgroups();
    runtime.exits.start();
    runtime.logs.start();
    runtime.roots.refill();
    return runtime;
  }

  private EmbeddedRuntime(Settings settings, CgroupTree tree) throws IOException {
    var level = settings.level();
    layout = new Layout(settings.directory().toRealPath());
    lock = LifeLock.take(layout.lock());
    clock = settings.clock();
    boot = new BootMark(layout.boot());
    sameBoot = boot.isCurrent();
    Files.createDirectories(layout.pods());
    Files.createDirectories(layout.mountPoint());
    exits = new Exits();
    logs = new Logs(settings.logs(), clock);
    trash = new Trash(layout.trash());
    output = new KeptOutput(layout, runs, logs, trash, settings.logs());
    runner = TapeRunner.in(layout.directory(), exits);
    sandboxes =
        new Sandboxes(level, layout, runner, exits, trash, settings.network(), clock, this::tell);
    var files = HostView.of(layout, trash, settings.hidden(), settings.hiddenFiles());
    var planner = new ContainerPlanner(layout, level);
    roots = new PreparedRoots(layout, files, trash, preparer, this::unprepared);
    cgroups = new Cgroups(tree, layout);
    nextRuns = new NextRuns(planner, runner, roots, preparer, cgroups, sandboxes::of);
    var starter =
        new ContainerStarter(
            layout, runner, planner, roots, nextRuns, cgroups, trash, clock, runs::processOf);
    readiness = new Readiness();
    execs = new Execs(level, runner, cgroups, readiness);
    starts = new GuardedStarts(starter, sandboxes, runs, this::runOf, this::follow);
  }

  private Adoption adoption() {
    return new Adoption(layout, sandboxes, runs, logs, trash, this::runOf, this::follow);
  }

  /** Runs that may be followed by one of which nothing but a root can be prepared. */
  private int unprepared() {
    return Math.max(0, runs.all().size() - nextRuns.size());
  }

  @Override
  public List<SandboxRecord> sandboxes() {
    return sandboxes.records();
  }

  @Override
  public Optional<SandboxRecord> sandbox(PodUid pod) {
    return sandboxes.of(pod).map(Sandbox::record);
  }

  @Override
  public List<RuntimeRecord> containers(PodUid pod) {
    var known = runs.ofPod(pod);
    known.stream()
        .filter(ContainerRun::isOverdue)
        .forEach(run -> launcher.execute(run::lookAgain)); // who asks is told when it is over
    return known.stream().map(ContainerRun::record).toList();
  }

  @Override
  public List<PodUid> pods() {
    return Layout.list(layout.pods()).stream()
        .map(path -> new PodUid(path.getFileName().toString()))
        .toList();
  }

  @Override
  public SandboxRecord startSandbox(SandboxSpec spec) throws RuntimeFailure, InterruptedException {
    return launcher.call(() -> {
      if (sandboxes.of(spec.pod()).flatMap(Sandbox::supervisor).isEmpty()) {
        nextRuns.forget(spec.pod()); // what waits holds the network of the one that is gone
      }
      return starts.startSandbox(spec);
    });
  }

  @Override
  public void stopSandbox(PodUid pod) throws RuntimeFailure, InterruptedException {
    launcher.call(() -> {
      endSandbox(pod);
      return pod;
    });
  }

  private void endSandbox(PodUid pod) throws IOException, RuntimeFailure, InterruptedException {
    nextRuns.forget(pod);
    sandboxes.stop(pod);
    nextRuns.forget(pod); // one may have been made meanwhile
  }

  @Override
  public void removePod(PodUid pod) throws RuntimeFailure, InterruptedException {
    try {
      starts.refuse(pod);
      removeAll(pod);
    } finally {
      starts.allow(pod);
    }
  }

  private void removeAll(PodUid pod) throws RuntimeFailure, InterruptedException {
    var left = runs.ofPod(pod);
    for (ContainerRun run : left) {
      stopper.kill(run);
    }
    for (ContainerRun run : left) {
      stopper.awaitKilled(run);
      remove(run.key());
    }
    launcher.call(() -> {
      endSandbox(pod);
      trash.take(layout.pod(pod));
      return pod;
    });
    roots.refill(); // fewer are wanted now
  }

  /**
   * Ends every process that was started over this directory and is still there, whatever the
   * records say. For the end of everything: prepared runs and commands inside containers go too.
   */
  public void endStrays() throws RuntimeFailure, InterruptedException {
    launcher.call(() -> {
      Strays.end(layout.directory(), _ -> true);
      return layout;
    });
  }

  @Override
  public RuntimeRecord start(ContainerConfig spec) throws RuntimeFailure, InterruptedException {
    return launcher.call(() -> starts.start(spec).record());
  }

  private ContainerRun runOf(ContainerFile file) {
    var key = file.spec().key();
    var around = new ContainerRun.Surroundings(exits, clock, sameBoot, this::ended);
    return new ContainerRun(key, layout.run(key), file, around);
  }

  /** Also one that has ended since it was started: what it wrote is told, and kept short. */
  private void follow(ContainerRun run) throws IOException {
    if (run.record().state() == State.RUNNING) {
      nextRuns.started(run);
    }
    logs.running(run.key(), layout.log(run.key()));
    if (run.record().state() != State.RUNNING) { // nobody would say so
      logs.ended(run.key());
    }
  }

  @Override
  public void announceStop(ContainerKey key, Map<String, String> labels)
      throws RuntimeFailure, InterruptedException {
    var run = runs.known(key);
    launcher.call(() -> {
      run.stopping(labels);
      return run;
    });
  }

  @Override
  public RuntimeRecord stop(ContainerKey key, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    return stopper.stop(runs.known(key), order);
  }

  @Override
  public void signal(ContainerKey key, Signal signal) throws RuntimeFailure, InterruptedException {
    var run = runs.known(key);
    if (!launcher.call(() -> run.signal(signal))) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
    }
  }

  /** What can be done to the processes of a running container from outside, to see what happens. */
  public ContainerHarm harm(ContainerKey key) throws RuntimeFailure {
    var run = runs.known(key);
    if (run.record().state() != State.RUNNING) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
    }
    return new ContainerHarm(key, run.record().pid(), run.file().cgroups());
  }

  @Override
  public void remove(ContainerKey key) throws RuntimeFailure, InterruptedException {
    var found = runs.find(key);
    if (found.isEmpty()) {
      return;
    }
    var run = found.get();
    if (run.record().state() == State.RUNNING) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " runs (stop it first)");
    }
    launcher.call(() -> {
      Cgroups.remove(run.file().cgroups());
      trash.take(run.directory());
      output.dropOldLogs(key);
      return key;
    });
    runs.remove(key);
  }

  @Override
  public ExecSession exec(ContainerKey key, ExecRequest request)
      throws RuntimeFailure, InterruptedException {
    var run = runs.known(key);
    return launcher.<ExecSession>call(() -> execs.start(run, request), ExecSession::close);
  }

  @Override
  public ExecSession attach(ContainerKey key, InputEnd end)
      throws RuntimeFailure, InterruptedException {
    var run = runs.known(key);
    var log = logs.live(key);
    if (log == null) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
    }
    return launcher.<ExecSession>call(
        () -> execs.attach(run, new LogTail(layout.log(key), log), end), ExecSession::close);
  }

  @Override
  public SocketChannel connect(PodUid pod, int port) throws RuntimeFailure, InterruptedException {
    var sandbox =
        sandboxes
            .of(pod)
            .filter(one -> one.supervisor().isPresent())
            .orElseThrow(
                () -> new RuntimeFailure(Kind.NOT_FOUND, "pod " + pod + " has no network"));
    return PodConnector.connect(sandbox, port);
  }

  @Override
  public ExecResult run(ContainerKey key, List<String> argv, Duration timeout, int outputLimit)
      throws RuntimeFailure, InterruptedException {
    var run = runs.known(key);
    try (var session =
        launcher.<ExecSession>call(
            () -> execs.startProbe(run, ExecRequest.of(argv)), ExecSession::close)) {
      return ExecOutput.collect(session, timeout, outputLimit);
    }
  }

  @Override
  public String terminationMessage(ContainerKey key, int limit) throws RuntimeFailure {
    return output.terminationMessage(key, limit);
  }

  @Override
  public LogReader log(ContainerKey key, LogQuery query) throws RuntimeFailure {
    return output.log(key, query);
  }

  @Override
  public List<Integer> loggedRuns(PodUid pod, String container) {
    return output.loggedRuns(pod, container);
  }

  @Override
  public void onChange(Consumer<PodUid> listener) {
    listeners.add(listener);
  }

  @Override
  public void onOutput(Consumer<RunOutput> listener) {
    logs.onOutput(listener);
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    execs.close(); // first: they are seen to end below
    launcher.close();
    preparer.close();
    nextRuns.close();
    exits.close(); // after all that is ended here: it collects
    readiness.close();
    logs.close();
    runs.all().forEach(ContainerRun::detach);
    sandboxes.detach();
    roots.close();
    if (runs.all().isEmpty()) {
      cgroups.awaitEmpty();
      sweepCgroups(); // nobody asks for a group any more
      trash.close();
    } else {
      sweepCgroups();
      trash.close(SHORT_SWEEP);
    }
    lock.close();
  }

  private void sweepCgroups() {
    var used = new HashSet<Path>();
    runs.all().forEach(run -> used.addAll(run.file().cgroups()));
    try {
      cgroups.sweep(used);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "control groups may be left behind", e);
    }
  }

  private void ended(ContainerRun run) {
    execs.ended(run.key());
    logs.ended(run.key());
    tell(run.key().pod());
  }

  private void tell(PodUid pod) {
    listeners.forEach(listener -> listener.accept(pod));
  }
}
