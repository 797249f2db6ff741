package dev.regroup.runtime.embedded.container;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.root.PreparedRoot;
import dev.regroup.runtime.embedded.root.PreparedRoots;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.supervision.Refusal;
import dev.regroup.runtime.embedded.tapes.ContainerTape;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.Child;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.tape.Tape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Starts runs, on launcher threads. In order, so that a crash between any two steps leaves a state
 * {@link RunFiles} knows: the directory (the key is taken), the record, the locked lock file, the
 * process.
 */
public final class ContainerStarter {

  private static final Duration SETUP = Duration.ofSeconds(30);

  private final Layout layout;
  private final TapeRunner runner;
  private final ContainerPlanner planner;
  private final PreparedRoots roots;
  private final NextRuns nextRuns;
  private final Cgroups cgroups;
  private final Trash trash;
  private final InstantSource clock;
  private final Targets targets;

  /**
   * A run that exists, and what its process still needs; closing is for the caller.
   *
   * @param prepared if it only has to be told to go on
   */
  record Created(ContainerFile file, PreparedRoot root, Optional<NextRun> prepared)
      implements AutoCloseable {
    @Override
    public void close() {
      root.close();
      prepared.map(NextRun::process).ifPresent(TapeRunner.Waiting::close);
    }
  }

  /**
   * Makes it.
   *
   * @param targets the process of the container whose processes another wants to see
   */
  public ContainerStarter(
      Layout layout,
      TapeRunner runner,
      ContainerPlanner planner,
      PreparedRoots roots,
      NextRuns nextRuns,
      Cgroups cgroups,
      Trash trash,
      InstantSource clock,
      Targets targets) {
    this.layout = layout;
    this.runner = runner;
    this.planner = planner;
    this.roots = roots;
    this.nextRuns = nextRuns;
    this.cgroups = cgroups;
    this.trash = trash;
    this.clock = clock;
    this.targets = targets;
  }

  /** Takes the key and writes the record; from here on the run exists. */
  Created create(ContainerConfig spec, Sandbox sandbox) throws IOException, RuntimeFailure {
    Path directory = layout.run(spec.key());
    Files.createDirectories(directory.getParent());
    var prepared = nextRuns.take(spec, sandbox);
    var root = prepared.isPresent() ? prepared.get().root() : roots.take();
    try {
      Linux.renameToFree(root.directory(), directory);
    } catch (SyscallFailure e) {
      prepared.map(NextRun::process).ifPresent(TapeRunner.Waiting::close);
      roots.discard(root);
      if (e.errno() == Errno.EEXIST) {
        throw new RuntimeFailure(Kind.ALREADY_EXISTS, "run " + spec.key() + " exists", e);
      }
      throw e;
    }
    try {
      Files.createDirectories(layout.logs(spec.key().pod(), spec.key().name()));
      Instant now = clock.instant();
      String id = id(spec.key(), now);
      var processes = sandbox.spec().processes();
      var groups = cgroups.make(id, spec.limits(), spec.user().privilege(), processes);
      var file = new ContainerFile(spec, id, now, groups);
      file.write(directory.resolve(Layout.SPEC));
      return new Created(file, root, prepared);
    } catch (IOException e) {
      prepared.map(NextRun::process).ifPresent(TapeRunner.Waiting::close);
      root.close();
      trash.take(directory);
      throw e;
    }
  }

  /** Opens the process of the container whose processes another wants to see. */
  public interface Targets {
    Optional<Fd> of(PodUid pod, String container) throws SyscallFailure;
  }

  /** A tape and what it said. */
  private record Played(Tape tape, TapeRunner.Launched launched) {}

  /**
   * The process of a run.
   *
   * @param refusal why the command could not be run; the process has ended then
   */
  record Launch(Child process, Optional<String> refusal) {}

  /** Starts the process of a created run. */
  Launch launch(Created created, Sandbox sandbox) throws IOException, RuntimeFailure {
    var played =
        created.prepared().isPresent()
            ? goOn(created.prepared().get(), created.file().spec())
            : playAll(created, sandbox);
    var launched = played.launched();
    boolean started =
        launched.messages().stream().map(StateFile::start).anyMatch(Optional::isPresent);
    if (started && !Refusal.among(played.tape(), launched.messages())) {
      return new Launch(launched.child(), Optional.empty());
    }
    if (!launched.child().awaitEnd()) { // it is on its way out: then its files are final
      throw new RuntimeFailure(Kind.TIMED_OUT, created.file().spec().key() + " does not end");
    }
    var spec = created.file().spec();
    Path directory = layout.run(spec.key());
    String why = Refusal.of(played.tape(), launched.messages(), spec.argv().getFirst());
    new Fields().add("message", why).write(directory.resolve(Layout.REFUSED));
    if (Files.size(directory.resolve(Layout.ERROR)) == 0) {
      if (StateFile.start(directory.resolve(Layout.START)).isPresent()) {
        return new Launch(launched.child(), Optional.empty()); // supervisor killed; perhaps it ran
      }
      if (created.prepared().isPresent()) {
        throw new WaitedInVain(spec.key());
      }
      throw new SyscallFailure(why, Errno.ENOSPC);
    }
    return new Launch(launched.child(), Optional.of(why));
  }

  /** Somebody killed what was prepared in the moment it should go on: it never ran. */
  static final class WaitedInVain extends IOException {
    private static final long serialVersionUID = 1;

    private WaitedInVain(ContainerKey key) {
      super("what was prepared for " + key + " has ended");
    }
  }

  /** Takes back a run that could not be launched: nothing says that it ever was. */
  void discard(Created created) throws IOException {
    var key = created.file().spec().key();
    Cgroups.remove(created.file().cgroups());
    trash.take(layout.run(key));
    trash.take(layout.log(key)); // logs tell how often a container was started
  }

  private Played goOn(NextRun prepared, ContainerConfig spec) throws IOException {
    var key = spec.key();
    Files.move(layout.run(key).resolve(NextRun.LOG), layout.log(key), ATOMIC_MOVE);
    Tape tape = ContainerTape.goingOn(prepared.plan().with(spec), prepared.processes());
    try {
      return new Played(tape, prepared.process().go(tape, SETUP));
    } catch (SyscallFailure e) {
      if (e.errno() == Errno.EPIPE || e.errno() == Errno.ECONNRESET) {
        throw new WaitedInVain(key); // it was gone before the word, or before it read it
      }
      throw e;
    }
  }

  private Played playAll(Created created, Sandbox sandbox) throws IOException, RuntimeFailure {
    var spec = created.file().spec();
    Path directory = layout.run(spec.key());
    var plan =
        planner.plan(
            spec,
            directory,
            layout.log(spec.key()),
            sandbox,
            created.root(),
            NextRun.Ground.of(spec, sandbox),
            cgroups.membership(created.file().cgroups(), spec.user().privilege()));
    Tape tape = ContainerTape.of(plan);
    try (Fd lock = LifeLock.take(directory.resolve(Layout.LOCK))) {
      var fds = new ArrayList<>(List.of(lock, sandbox.supervisor().orElseThrow().pidfd()));
      fds.addAll(created.root().mounts());
      return launch(tape, spec, fds);
    }
  }

  private Played launch(Tape tape, ContainerConfig spec, List<Fd> fds)
      throws IOException, RuntimeFailure {
    if (spec.target().isEmpty()) {
      return new Played(tape, runner.launch(tape, ContainerRun.argv(spec.key()), fds, SETUP));
    }
    try (Fd target =
        targets
            .of(spec.key().pod(), spec.target())
            .orElseThrow(() ->
                new RuntimeFailure(
                    Kind.NOT_FOUND,
                    "target container \"%s\" does not run".formatted(spec.target())))) {
      fds.add(target);
      return new Played(tape, runner.launch(tape, ContainerRun.argv(spec.key()), fds, SETUP));
    }
  }

  private static String id(ContainerKey key, Instant now) {
    try {
      byte[] name = (key + "@" + now).getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(name));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
