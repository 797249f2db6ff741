package dev.regroup.runtime.embedded.sandbox;

import dev.regroup.runtime.PodNetwork;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.supervision.Exits;
import dev.regroup.runtime.embedded.supervision.Refusal;
import dev.regroup.runtime.embedded.supervision.Supervisor;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.embedded.tapes.SandboxTape;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Makes, finds again and ends sandboxes. Methods run on launcher threads; those for one pod must
 * not overlap.
 */
public final class Sandboxes {

  private static final System.Logger LOG = System.getLogger(Sandboxes.class.getName());
  private static final Duration SETUP = Duration.ofSeconds(30);

  private final IsolationLevel level;
  private final Layout layout;
  private final TapeRunner runner;
  private final Exits exits;
  private final Trash trash;
  private final Optional<PodNetwork> network;
  private final InstantSource clock;
  private final Consumer<PodUid> ended;
  private final Map<PodUid, Sandbox> sandboxes = new ConcurrentHashMap<>();

  public Sandboxes(
      IsolationLevel level,
      Layout layout,
      TapeRunner runner,
      Exits exits,
      Trash trash,
      Optional<PodNetwork> network,
      InstantSource clock,
      Consumer<PodUid> ended) {
    this.level = level;
    this.layout = layout;
    this.runner = runner;
    this.exits = exits;
    this.trash = trash;
    this.network = network;
    this.clock = clock;
    this.ended = ended;
  }

  public List<SandboxRecord> records() {
    return sandboxes.values().stream().map(Sandbox::record).toList();
  }

  public Optional<Sandbox> of(PodUid pod) {
    return Optional.ofNullable(sandboxes.get(pod));
  }

  /** Whether this sandbox has ended, also if nobody was told yet. */
  public static boolean hasEnded(Sandbox sandbox) throws IOException {
    return !LifeLock.held(sandbox.directory().resolve(Layout.LOCK));
  }

  /**
   * What an earlier run left: a live one is taken over with its network and its memory, one of
   * which anything is missing is ended and stays as a record, as a dead one does (SEQ-25).
   */
  public void adopt(PodUid pod) throws IOException {
    Path directory = layout.sandbox(pod);
    if (!Files.isDirectory(directory)) {
      return;
    }
    var known = Sandbox.read(pod, directory);
    if (known.isEmpty()) {
      trash.take(directory); // a crash came before the process: there is nothing to lose
      return;
    }
    var argv = Sandbox.argv(known.get().spec());
    Supervisor.awaitSetup(directory, argv, _ -> true);
    var start = StateFile.start(directory.resolve(Layout.START));
    var found =
        start.isPresent() && LifeLock.held(directory.resolve(Layout.LOCK))
            ? Supervisor.find(start.get().supervisor(), argv)
            : Optional.<Supervisor>empty();
    if (found.isEmpty()) {
      sandboxes.put(pod, known.get().gone());
      return;
    }
    var kept = keep(known.get(), found.get());
    if (kept.ready() && !isWhole(kept, found.get())) {
      found.get().kill();
      sandboxes.put(pod, kept.gone());
    }
  }

  /** Repairs what can be repaired: the pod keeps its address if its network has to be remade. */
  private boolean isWhole(Sandbox sandbox, Supervisor supervisor) throws IOException {
    var spec = sandbox.spec();
    if (!MountPoints.of(supervisor.pid()).containsAll(sandbox.mountPoints())) {
      LOG.log(System.Logger.Level.WARNING, "the memory of pod {0} is gone", spec.pod());
      return false;
    }
    if (network.isEmpty() || spec.network() != SandboxSpec.Network.POD) {
      return true;
    }
    try {
      return sandbox.address().equals(Optional.of(attach(spec.pod(), supervisor)));
    } catch (RuntimeFailure e) {
      LOG.log(System.Logger.Level.WARNING, "the network of a pod cannot be repaired", e);
      return false;
    }
  }

  private Sandbox keep(Sandbox sandbox, Supervisor supervisor) throws IOException {
    var alive =
        new Sandbox(
            sandbox.spec(),
            sandbox.directory(),
            sandbox.createdAt(),
            Optional.of(supervisor),
            sandbox.ready(),
            sandbox.address());
    PodUid pod = sandbox.spec().pod();
    sandboxes.put(pod, alive);
    supervisor.watch(exits, () -> gone(pod, supervisor));
    return alive;
  }

  private void gone(PodUid pod, Supervisor supervisor) {
    sandboxes.computeIfPresent(
        pod, (_, now) -> now.supervisor().equals(Optional.of(supervisor)) ? now.gone() : now);
    ended.accept(pod);
  }

  public SandboxRecord start(SandboxSpec spec) throws IOException, RuntimeFailure {
    var known = sandboxes.get(spec.pod());
    if (known != null && known.supervisor().isPresent()) {
      return known.ready() ? known.record() : connect(known).record();
    }
    Path directory = layout.sandbox(spec.pod());
    trash.take(directory);
    Files.createDirectories(layout.pod(spec.pod()));
    Files.createDirectory(directory);
    Files.createDirectory(directory.resolve(Layout.SHM));
    Files.createDirectory(directory.resolve(Layout.VOLUMES));
    for (var volume : spec.volumes()) {
      Files.createDirectory(directory.resolve(Layout.VOLUMES).resolve(volume.name()));
    }
    var createdAt = clock.instant();
    Sandbox.write(spec, createdAt, directory.resolve(Layout.SPEC));
    var fresh = new Sandbox(spec, directory, createdAt, Optional.empty(), false, Optional.empty());
    return connect(launch(fresh)).record();
  }

  private Sandbox launch(Sandbox sandbox) throws IOException, RuntimeFailure {
    var tape = SandboxTape.of(level, sandbox.spec(), sandbox.directory());
    var argv = Sandbox.argv(sandbox.spec());
    TapeRunner.Launched launched;
    try (Fd lock = LifeLock.take(sandbox.directory().resolve(Layout.LOCK))) {
      launched = runner.launch(tape, argv, List.of(lock), SETUP);
    }
    try {
      var started =
          launched.messages().stream().map(StateFile::start).anyMatch(Optional::isPresent);
      var found =
          started ? Supervisor.find(launched.child().pid(), argv) : Optional.<Supervisor>empty();
      if (found.isPresent()) {
        return keep(sandbox, found.get());
      }
    } catch (IOException | UncheckedIOException e) { // nobody can look after it
      sandboxes.remove(sandbox.spec().pod());
      launched.child().end();
      throw e;
    }
    launched.child().end();
    throw new RuntimeFailure(
        RuntimeFailure.Kind.SYSTEM,
        "sandbox of pod %s/%s: %s"
            .formatted(
                sandbox.spec().namespace(),
                sandbox.spec().name(),
                Refusal.of(tape, launched.messages())));
  }

  private Sandbox connect(Sandbox sandbox) throws IOException, RuntimeFailure {
    Optional<InetAddress> address = Optional.empty();
    if (network.isPresent() && sandbox.spec().network() == SandboxSpec.Network.POD) {
      address = Optional.of(attach(sandbox.spec().pod(), sandbox.supervisor().orElseThrow()));
    }
    var fields = new Fields();
    address.ifPresent(known -> fields.add("address", known.getHostAddress()));
    fields.write(sandbox.directory().resolve(Layout.NETWORK));
    var connected = sandbox.connected(address);
    sandboxes.computeIfPresent(
        sandbox.spec().pod(), (_, now) -> now.supervisor().isPresent() ? connected : now);
    return connected;
  }

  private InetAddress attach(PodUid pod, Supervisor supervisor) throws RuntimeFailure {
    var process = new PodNetwork.SandboxProcess(supervisor.pid(), supervisor.pidfd().number());
    return network.orElseThrow().attach(pod, process);
  }

  /** Ends it and takes its record away. */
  public void stop(PodUid pod) throws IOException, RuntimeFailure, InterruptedException {
    var sandbox = sandboxes.get(pod);
    if (sandbox != null) {
      if (sandbox.supervisor().isPresent()) {
        sandbox.supervisor().get().kill();
        sandbox.supervisor().get().awaitEnd();
      }
      if (network.isPresent() && sandbox.spec().network() == SandboxSpec.Network.POD) {
        network.get().detach(pod);
      }
    }
    trash.take(layout.sandbox(pod));
    sandboxes.remove(pod);
  }

  public void detach() {
    sandboxes.values().forEach(sandbox -> sandbox.supervisor().ifPresent(Supervisor::close));
  }
}
