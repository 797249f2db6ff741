package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.ContainerSpec.Escalation;
import dev.regroup.runtime.ContainerSpec.Privilege;
import dev.regroup.runtime.ContainerSpec.User;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is kept about an attempt before it starts: its identity, and what a command executed in it
 * later needs. Mounts and limits are not kept, they live in the kernel.
 */
record ContainerFile(ContainerSpec spec, String id, Instant createdAt, List<Path> cgroups) {

  ContainerFile {
    cgroups = List.copyOf(cgroups);
  }

  void write(Path file) throws IOException {
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
            .add("directory", spec.workingDir())
            .add("message", spec.terminationMessagePath());
    spec.argv().forEach(argument -> fields.add("argument", argument));
    spec.env().forEach((name, value) -> fields.add("env", name + "=" + value));
    cgroups.forEach(cgroup -> fields.add("cgroup", cgroup));
    fields.write(file);
  }

  static Optional<ContainerFile> read(Path file, ContainerKey key) throws IOException {
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
            Escalation.valueOf(fields.one("escalation")));
    var env = new LinkedHashMap<String, String>();
    for (String entry : fields.all("env")) {
      int equals = entry.indexOf('=');
      env.put(entry.substring(0, equals), entry.substring(equals + 1));
    }
    int epoch = Integer.parseInt(fields.one("epoch"));
    var spec =
        ContainerSpec.of(key, epoch, fields.all("argument"))
            .withEnv(env)
            .withUser(user)
            .withWorkingDir(fields.one("directory"))
            .withTerminationMessagePath(fields.one("message"));
    return new ContainerFile(
        spec,
        fields.one("id"),
        Instant.parse(fields.one("created")),
        fields.all("cgroup").stream().map(Path::of).toList());
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
