package dev.regroup.runtime.embedded;

import static java.nio.file.StandardOpenOption.READ;

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
import dev.regroup.runtime.embedded.container.Stopper;
import dev.regroup.runtime.embedded.exec.ExecOutput;
import dev.regroup.runtime.embedded.exec.Execs;
import dev.regroup.runtime.embedded.files.BootMark;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.harm.ContainerHarm;
import dev.regroup.runtime.embedded.log.LogFileReader;
import dev.regroup.runtime.embedded.log.LogIndex;
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
import dev.regroup.runtime.embedded.supervision.Leftovers;
import dev.regroup.runtime.embedded.supervision.Preparer;
import dev.regroup.runtime.embedded.supervision.Supervisor;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.Strays;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
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
  private final LogRetention retention;
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
  private final NavigableMap<ContainerKey, ContainerRun> runs = new ConcurrentSkipListMap<>();
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
    runtime.adopt();
    Strays.end(runtime.layout.directory(), runtime::nobodysPod);
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
    retention = settings.logs();
    logs = new Logs(retention, clock);
    trash = new Trash(layout.trash());
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
            layout, runner, planner, roots, nextRuns, cgroups, trash, clock, this::target);
    readiness = new Readiness();
    execs = new Execs(level, runner, cgroups, readiness);
    starts = new GuardedStarts(starter, sandboxes, runs, this::runOf, this::follow);
  }

  private void adopt() throws IOException {
    for (PodUid pod : pods()) {
      sandboxes.adopt(pod);
      for (Path container : list(layout.containers(pod))) {
        for (Path directory : list(container)) {
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
      var supervisors = ofPod(pod).stream().flatMapToInt(ContainerRun::supervisor).boxed().toList();
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
    var run = runOf(file.get());
    runs.put(key, run);
    run.attach();
    endUnlessLimited(run);
    follow(run);
    if (logs.live(key) == null) {
      logs.found(layout.log(key));
    }
  }

  /** Whether a process with these arguments belongs to a pod that has no record any more. */
  private boolean nobodysPod(List<String> argv) {
    return argv.size() > 1
        && (argv.getFirst().equals(Sandbox.NAME) || argv.getFirst().equals(ContainerRun.NAME))
        && !Files.isDirectory(layout.pod(new PodUid(argv.get(1))));
  }

  /** Nobody can put a process back into a group that is gone: the container starts anew. */
  private static void endUnlessLimited(ContainerRun run) throws IOException {
    int pid = run.record().pid();
    if (pid != 0 && !Cgroups.hold(run.file().cgroups(), pid)) {
      LOG.log(System.Logger.Level.WARNING, "{0} has lost its limits and is ended", run.key());
      run.signal(Signal.SIGKILL);
    }
  }

  /** Runs that may be followed by one of which nothing but a root can be prepared. */
  private int unprepared() {
    return Math.max(0, runs.size() - nextRuns.size());
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
    var known = ofPod(pod);
    known.stream()
        .filter(ContainerRun::isOverdue)
        .forEach(run -> launcher.execute(run::look)); // who asks is told when it is over
    return known.stream().map(ContainerRun::record).toList();
  }

  @Override
  public List<PodUid> pods() {
    return list(layout.pods()).stream()
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
    var left = ofPod(pod);
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

  /** PID 1 of the running container this one wants to see the processes of. */
  private Optional<Fd> target(ContainerConfig spec) throws SyscallFailure {
    for (var run : ofPod(spec.key().pod())) {
      if (run.key().name().equals(spec.target())) {
        var process = run.openProcess();
        if (process.isPresent()) {
          return process;
        }
      }
    }
    return Optional.empty();
  }

  private ContainerRun runOf(ContainerFile file) {
    var key = file.spec().key();
    var around = new ContainerRun.Surroundings(exits, clock, sameBoot, this::ended);
    return new ContainerRun(key, layout.run(key), file, around);
  }

  private void follow(ContainerRun run) throws IOException {
    if (run.record().state() != State.RUNNING) {
      return;
    }
    nextRuns.started(run);
    logs.running(run.key(), layout.log(run.key()));
    if (run.record().state() != State.RUNNING) { // it ended meanwhile, and nobody would say so
      logs.ended(run.key());
    }
  }

  @Override
  public void announceStop(ContainerKey key, Map<String, String> labels)
      throws RuntimeFailure, InterruptedException {
    var run = known(key);
    launcher.call(() -> {
      run.stopping(labels);
      return run;
    });
  }

  @Override
  public RuntimeRecord stop(ContainerKey key, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    return stopper.stop(known(key), order);
  }

  @Override
  public void signal(ContainerKey key, Signal signal) throws RuntimeFailure, InterruptedException {
    var run = known(key);
    if (!launcher.call(() -> run.signal(signal))) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
    }
  }

  /** What can be done to the processes of a running container from outside, to see what happens. */
  public ContainerHarm harm(ContainerKey key) throws RuntimeFailure {
    var run = known(key);
    if (run.record().state() != State.RUNNING) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
    }
    return new ContainerHarm(key, run.record().pid(), run.file().cgroups());
  }

  @Override
  public void remove(ContainerKey key) throws RuntimeFailure, InterruptedException {
    var run = runs.get(key);
    if (run == null) {
      return;
    }
    if (run.record().state() == State.RUNNING) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " runs (stop it first)");
    }
    launcher.call(() -> {
      Cgroups.remove(run.file().cgroups());
      trash.take(run.directory());
      dropOldLogs(key);
      return key;
    });
    runs.remove(key);
  }

  /** A container that restarts for ever has a few logs, not one for each of its runs. */
  private void dropOldLogs(ContainerKey removed) throws IOException {
    var logged = loggedRuns(removed.pod(), removed.name());
    for (int run : logged.subList(0, Math.max(0, logged.size() - retention.runs()))) {
      Path log = layout.log(new ContainerKey(removed.pod(), removed.name(), run));
      trash.take(LogIndex.file(log)); // first: while there is a log, its index is found again
      trash.take(log);
    }
  }

  @Override
  public ExecSession exec(ContainerKey key, ExecRequest request)
      throws RuntimeFailure, InterruptedException {
    var run = known(key);
    return launcher.<ExecSession>call(() -> execs.start(run, request), ExecSession::close);
  }

  @Override
  public ExecSession attach(ContainerKey key, InputEnd end)
      throws RuntimeFailure, InterruptedException {
    var run = known(key);
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
    try (var session = exec(key, ExecRequest.of(argv))) {
      return ExecOutput.collect(session, timeout, outputLimit);
    }
  }

  @Override
  public String terminationMessage(ContainerKey key, int limit) throws RuntimeFailure {
    Path file = known(key).directory().resolve(Layout.MESSAGE);
    try (var channel = FileChannel.open(file, READ, LinkOption.NOFOLLOW_LINKS)) {
      var buffer = ByteBuffer.allocate(limit);
      long from = Math.max(0, channel.size() - limit);
      int count = 0; // it may be shortened meanwhile, by whoever wrote it
      while (buffer.hasRemaining() && count >= 0) {
        count = channel.read(buffer, from + buffer.position());
      }
      return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new RuntimeFailure(Kind.SYSTEM, "termination message of " + key, e);
    }
  }

  @Override
  public LogReader log(ContainerKey key, LogQuery query) throws RuntimeFailure {
    var run = runs.get(key);
    var startedAt = Optional.ofNullable(run).flatMap(known -> known.record().startedAt());
    Path file = layout.log(key);
    try {
      var before = // of a removed run only the file itself tells a time
          startedAt.isPresent() ? startedAt.get() : Files.getLastModifiedTime(file).toInstant();
      return new LogFileReader(file, logs.live(key), query, before);
    } catch (NoSuchFileException e) {
      throw new RuntimeFailure(Kind.NOT_FOUND, "no log of " + key, e);
    } catch (IOException e) {
      throw new RuntimeFailure(Kind.SYSTEM, "log of " + key + ": " + e.getMessage(), e);
    }
  }

  @Override
  public List<Integer> loggedRuns(PodUid pod, String container) {
    var found = new TreeSet<Integer>();
    for (Path file : list(layout.logs(pod, container))) {
      String name = file.getFileName().toString();
      if (name.endsWith(Layout.LOG_SUFFIX)) {
        found.add(Integer.parseInt(name.substring(0, name.length() - Layout.LOG_SUFFIX.length())));
      }
    }
    return List.copyOf(found);
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
    runs.values().forEach(ContainerRun::detach);
    sandboxes.detach();
    roots.close();
    if (runs.isEmpty()) {
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
    runs.values().forEach(run -> used.addAll(run.file().cgroups()));
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

  private List<ContainerRun> ofPod(PodUid pod) {
    return runs.tailMap(ContainerKey.firstOf(pod)).values().stream()
        .takeWhile(run -> run.key().pod().equals(pod))
        .toList();
  }

  private ContainerRun known(ContainerKey key) throws RuntimeFailure {
    var run = runs.get(key);
    if (run == null) {
      throw new RuntimeFailure(Kind.NOT_FOUND, "no container " + key);
    }
    return run;
  }

  private static List<Path> list(Path directory) {
    try (var entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
