package dev.regroup.runtime.embedded.files;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Escalation;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.ContainerConfig.User;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.seccomp.DefaultProfile;
import dev.regroup.runtime.seccomp.Filter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is kept about a run before it starts: its identity, and what a command executed in it later
 * needs. Mounts and limits are not kept, they live in the kernel.
 */
public record ContainerFile(
    ContainerConfig spec, String id, Instant createdAt, List<Path> cgroups) {

  private static final String UNCONFINED = "Unconfined";

  public ContainerFile {
    cgroups = List.copyOf(cgroups);
  }

  public void write(Path file) throws IOException {
    var user = spec.user();
    var fields =
        new Fields()
            .add("id", id)
            .add("created", createdAt)
            .add("epoch", spec.epoch())
            .add("uid", user.uid())
            .add("gid", user.gid())
            .add("groups", joined(user.groups()))
            .add("capabilities", joined(user.capabilities().stream().sorted().toList()))
            .add("privilege", user.privilege())
            .add("escalation", user.escalation())
            .add("seccomp", seccomp(user.seccomp()))
            .add("directory", spec.workingDir())
            .add("message", spec.terminationMessagePath())
            .add("console", spec.console());
    spec.argv().forEach(argument -> fields.add("argument", argument));
    fields.addAll("env", spec.env()).addAll("label", spec.labels());
    cgroups.forEach(cgroup -> fields.add("cgroup", cgroup));
    fields.write(file);
  }

  public static Optional<ContainerFile> read(Path file, ContainerKey key) throws IOException {
    return Fields.read(file).map(fields -> of(fields, key));
  }

  private static ContainerFile of(Fields fields, ContainerKey key) {
    var user =
        new User(
            Integer.parseInt(fields.one("uid")),
            Integer.parseInt(fields.one("gid")),
            numbers(fields.one("groups")),
            numbers(fields.one("capabilities")).stream().collect(Collectors.toSet()),
            Privilege.valueOf(fields.one("privilege")),
            Escalation.valueOf(fields.one("escalation")),
            fields.first("seccomp").map(ContainerFile::seccomp).orElse(Seccomp.UNCONFINED));
    int epoch = Integer.parseInt(fields.one("epoch"));
    var spec =
        ContainerConfig.of(key, epoch, fields.all("argument"))
            .withEnv(fields.map("env"))
            .withLabels(fields.map("label"))
            .withUser(user)
            .withWorkingDir(fields.one("directory"))
            .withTerminationMessagePath(fields.one("message"))
            .withConsole(fields.first("console").map(Console::valueOf).orElse(Console.NONE));
    return new ContainerFile(
        spec,
        fields.one("id"),
        Instant.parse(fields.one("created")),
        fields.all("cgroup").stream().map(Path::of).toList());
  }

  /** A filter is kept as it was compiled: its file may change or go while the container runs. */
  private static String seccomp(Seccomp seccomp) {
    return switch (seccomp) {
      case Seccomp.Unconfined() -> UNCONFINED;
      case Seccomp.RuntimeDefault() -> DefaultProfile.NAME;
      case Seccomp.Localhost(Filter filter) ->
          Base64.getEncoder().encodeToString(filter.program()) + " " + filter.name();
    };
  }

  private static Seccomp seccomp(String kept) {
    if (kept.equals(UNCONFINED)) {
      return Seccomp.UNCONFINED;
    }
    if (kept.equals(DefaultProfile.NAME)) {
      return Seccomp.RUNTIME_DEFAULT;
    }
    String[] parts = kept.split(" ", 2);
    return new Seccomp.Localhost(new Filter(parts[1], Base64.getDecoder().decode(parts[0])));
  }

  private static String joined(List<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static List<Integer> numbers(String joined) {
    if (joined.isEmpty()) {
      return List.of();
    }
    return List.of(joined.split(",")).stream().map(Integer::valueOf).toList();
  }
}
