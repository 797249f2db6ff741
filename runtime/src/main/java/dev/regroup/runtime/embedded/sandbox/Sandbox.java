package dev.regroup.runtime.embedded.sandbox;

import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.SandboxSpec.MemoryVolume;
import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.supervision.Supervisor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A pod's sandbox in memory.
 *
 * @param supervisor the process that holds the namespaces; absent if it is gone
 * @param ready whether the network was attached, too
 */
public record Sandbox(
    SandboxSpec spec,
    Path directory,
    Instant createdAt,
    Optional<Supervisor> supervisor,
    boolean ready,
    Optional<InetAddress> address) {

  /** What process lists show. */
  public static final String NAME = "regroup-sandbox";

  private static final Path HOST_SHM = Path.of("/dev/shm");

  static List<String> argv(SandboxSpec spec) {
    return List.of(NAME, spec.pod().value(), spec.namespace() + "/" + spec.name());
  }

  public SandboxRecord record() {
    return new SandboxRecord(
        spec.pod(),
        spec.namespace(),
        spec.name(),
        spec.network(),
        ready ? SandboxRecord.State.READY : SandboxRecord.State.NOT_READY,
        supervisor.map(Supervisor::pid).orElse(0),
        address,
        createdAt);
  }

  Sandbox connected(Optional<InetAddress> newAddress) {
    return new Sandbox(spec, directory, createdAt, supervisor, true, newAddress);
  }

  Sandbox gone() {
    return new Sandbox(spec, directory, createdAt, Optional.empty(), false, address);
  }

  public boolean sharesProcesses() {
    return spec.processes() == SandboxSpec.Processes.SHARED;
  }

  /** Where its memory is mounted, in its own namespace. */
  Set<Path> mountPoints() {
    var points = new HashSet<Path>();
    points.add(shm());
    spec.volumes().forEach(volume -> points.add(volume(volume.name())));
    return points;
  }

  public Path shm() {
    return switch (spec.ipc()) {
      case POD -> directory.resolve(Layout.SHM);
      case HOST -> HOST_SHM;
    };
  }

  public Path volume(String name) {
    return directory.resolve(Layout.VOLUMES).resolve(name);
  }

  static void write(SandboxSpec spec, Instant createdAt, Path file) throws IOException {
    var fields =
        new Fields()
            .add("created", createdAt)
            .add("namespace", spec.namespace())
            .add("name", spec.name())
            .add("hostname", spec.hostname())
            .add("network", spec.network())
            .add("processes", spec.processes())
            .add("ipc", spec.ipc());
    for (var volume : spec.volumes()) {
      fields.add(
          "volume",
          "%s %d %d %d".formatted(volume.name(), volume.sizeLimit(), volume.mode(), volume.gid()));
    }
    fields.write(file);
  }

  /** As its files describe it; nobody has looked for the process yet. */
  static Optional<Sandbox> read(dev.regroup.runtime.PodUid pod, Path directory) throws IOException {
    var fields = Fields.read(directory.resolve(Layout.SPEC));
    if (fields.isEmpty()) {
      return Optional.empty();
    }
    var volumes = new ArrayList<MemoryVolume>();
    for (String line : fields.get().all("volume")) {
      String[] parts = line.split(" ", -1);
      volumes.add(
          new MemoryVolume(
              parts[0],
              Long.parseLong(parts[1]),
              Integer.parseInt(parts[2]),
              parts.length > 3 ? Integer.parseInt(parts[3]) : 0));
    }
    var spec =
        new SandboxSpec(
            pod,
            fields.get().one("namespace"),
            fields.get().one("name"),
            fields.get().one("hostname"),
            SandboxSpec.Network.valueOf(fields.get().one("network")),
            volumes,
            fields
                .get()
                .first("processes")
                .map(SandboxSpec.Processes::valueOf)
                .orElse(SandboxSpec.Processes.OWN),
            fields.get().first("ipc").map(SandboxSpec.Ipc::valueOf).orElse(SandboxSpec.Ipc.POD),
            Map.of()); // they live in the kernel
    var network = Fields.read(directory.resolve(Layout.NETWORK));
    Optional<InetAddress> address = Optional.empty();
    if (network.isPresent() && network.get().first("address").isPresent()) {
      address = Optional.of(InetAddress.ofLiteral(network.get().one("address")));
    }
    return Optional.of(
        new Sandbox(
            spec,
            directory,
            Instant.parse(fields.get().one("created")),
            Optional.empty(),
            network.isPresent(),
            address));
  }
}
