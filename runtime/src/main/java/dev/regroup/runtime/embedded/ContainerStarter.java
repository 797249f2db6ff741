package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.ContainerSpec.Mount;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
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
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Starts attempts, on launcher threads. In order, so that a crash between any two steps leaves a
 * state {@link AttemptFiles} knows: the directory (the key is taken), the record, the locked lock
 * file, the process.
 */
final class ContainerStarter {

  private static final Duration SETUP = Duration.ofSeconds(30);

  private final Layout layout;
  private final TapeRunner runner;
  private final HostView host;
  private final PreparedRoots roots;
  private final Cgroups cgroups;
  private final Trash trash;
  private final InstantSource clock;

  /** An attempt that exists, and what its process still needs; closing is for the caller. */
  record Created(ContainerFile file, PreparedRoot root) implements AutoCloseable {
    @Override
    public void close() {
      root.close();
    }
  }

  ContainerStarter(
      Layout layout,
      TapeRunner runner,
      HostView host,
      PreparedRoots roots,
      Cgroups cgroups,
      Trash trash,
      InstantSource clock) {
    this.layout = layout;
    this.runner = runner;
    this.host = host;
    this.roots = roots;
    this.cgroups = cgroups;
    this.trash = trash;
    this.clock = clock;
  }

  /** Takes the key and writes the record; from here on the attempt exists. */
  Created create(ContainerSpec spec) throws IOException, RuntimeFailure {
    Path directory = layout.attempt(spec.key());
    Files.createDirectories(directory.getParent());
    var root = roots.take();
    try {
      Linux.renameToFree(root.directory(), directory);
    } catch (SyscallFailure e) {
      roots.discard(root);
      if (e.errno() == Errno.EEXIST) {
        throw new RuntimeFailure(Kind.ALREADY_EXISTS, "attempt " + spec.key() + " exists", e);
      }
      throw e;
    }
    try {
      Files.createDirectories(layout.logs(spec.key().pod(), spec.key().name()));
      Instant now = clock.instant();
      String id = id(spec.key(), now);
      var groups = cgroups.make(id, spec.limits());
      var file = new ContainerFile(spec, id, now, groups);
      file.write(directory.resolve(Layout.SPEC));
      return new Created(file, root);
    } catch (IOException e) {
      root.close();
      trash.take(directory);
      throw e;
    }
  }

  /** Starts the process of a created attempt; empty on success, else why not. */
  Optional<String> launch(Created created, Sandbox sandbox) throws IOException, RuntimeFailure {
    var spec = created.file().spec();
    Tape tape = ContainerTape.of(plan(created, sandbox));
    Path directory = layout.attempt(spec.key());
    TapeRunner.Launched launched;
    try (Fd lock = LifeLock.take(directory.resolve(Layout.LOCK))) {
      var fds = new ArrayList<>(List.of(lock, sandbox.supervisor().orElseThrow().pidfd()));
      fds.addAll(created.root().overlays());
      launched = runner.launch(tape, Attempt.argv(spec.key()), fds, SETUP);
    }
    boolean started =
        launched.messages().stream().map(StateFile::start).anyMatch(Optional::isPresent);
    if (started && !Refusal.among(tape, launched.messages())) {
      return Optional.empty();
    }
    Linux.reapWaiting(launched.pid()); // it is on its way out: now its files are final
    String why = Refusal.of(tape, launched.messages(), spec.argv().getFirst());
    new Fields().add("message", why).write(directory.resolve(Layout.REFUSED));
    if (Files.size(directory.resolve(Layout.ERROR)) == 0) {
      throw new SyscallFailure(why, Errno.ENOSPC);
    }
    return Optional.of(why);
  }

  /** Takes back an attempt that could not be launched. */
  void discard(Created created) throws IOException {
    Cgroups.remove(created.file().cgroups());
    trash.take(layout.attempt(created.file().spec().key()));
  }

  private ContainerPlan plan(Created created, Sandbox sandbox) throws RuntimeFailure {
    var spec = created.file().spec();
    Path directory = layout.attempt(spec.key());
    var binds = new ArrayList<ContainerPlan.Bind>();
    for (Mount mount : spec.mounts()) {
      binds.add(bind(mount, sandbox));
    }
    binds.add(
        new ContainerPlan.Bind(
            directory.resolve(Layout.MESSAGE),
            ContainerPlan.Kind.FILE,
            spec.terminationMessagePath(),
            ContainerPlan.Target.COVERABLE,
            Mount.Access.READ_WRITE,
            false));
    binds.sort(Comparator.comparingInt(bind -> Path.of(bind.target()).getNameCount()));
    return new ContainerPlan(
        spec,
        directory,
        layout.log(spec.key()),
        layout.mountPoint(),
        sandbox.shm(),
        sandbox.spec().network() == SandboxSpec.Network.POD
            ? ContainerPlan.SandboxNetwork.OWN
            : ContainerPlan.SandboxNetwork.HOST,
        processHolder(sandbox),
        created.root().view().entries(),
        host.hidden(),
        binds,
        Cgroups.membership(created.file().cgroups()),
        SeccompFilters.of(spec.user()));
  }

  private static OptionalInt processHolder(Sandbox sandbox) {
    return switch (sandbox.spec().processes()) {
      case OWN -> OptionalInt.empty();
      case SHARED -> OptionalInt.of(sandbox.supervisor().orElseThrow().pid());
    };
  }

  private static ContainerPlan.Bind bind(Mount mount, Sandbox sandbox) throws RuntimeFailure {
    return switch (mount.source()) {
      case ContainerSpec.HostPath(Path path) -> {
        if (!Files.exists(path)) {
          throw new RuntimeFailure(
              Kind.NOT_FOUND, "mount of %s: %s does not exist".formatted(mount.target(), path));
        }
        var kind = Files.isDirectory(path) ? ContainerPlan.Kind.DIRECTORY : ContainerPlan.Kind.FILE;
        // A file the host keeps as a link, like /etc/resolv.conf, may point at nothing in here.
        var at =
            kind == ContainerPlan.Kind.FILE && Files.isSymbolicLink(Path.of(mount.target()))
                ? ContainerPlan.Target.LINK
                : ContainerPlan.Target.COVERABLE;
        yield new ContainerPlan.Bind(path, kind, mount.target(), at, mount.access(), false);
      }
      case ContainerSpec.Memory(String volume, String subPath) -> {
        if (sandbox.spec().volumes().stream().noneMatch(known -> known.name().equals(volume))) {
          throw new RuntimeFailure(
              Kind.NOT_FOUND, "mount of %s: no memory volume %s".formatted(mount.target(), volume));
        }
        Path source = sandbox.volume(volume);
        yield new ContainerPlan.Bind(
            subPath.isEmpty() ? source : source.resolve(subPath),
            ContainerPlan.Kind.DIRECTORY,
            mount.target(),
            ContainerPlan.Target.COVERABLE,
            mount.access(),
            !subPath.isEmpty());
      }
    };
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
