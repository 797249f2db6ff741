package dev.regroup.node.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.regroup.node.env.ConfigFailure;
import io.fabric8.kubernetes.api.model.HostAlias;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code /etc/hosts}, {@code /etc/hostname} and {@code /etc/resolv.conf} of a pod. */
final class EtcFiles {

  private static final Path HOSTS_OF_THE_MACHINE = Path.of("/etc/hosts");

  private EtcFiles() {}

  /** The lines above the pod's own are the kubelet's, letter for letter. */
  static String hosts(Pod pod, String address) {
    var text = new StringBuilder("# Kubernetes-managed hosts file.\n");
    text.append("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n");
    text.append("fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\n");
    text.append("fe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n");
    if (!address.isEmpty()) {
      text.append(address).append('\t').append(names(Hostname.of(pod))).append('\n');
    }
    return text.append(aliases(pod)).toString();
  }

  /** In the network of the machine: what the machine knows, and the pod's aliases. */
  static String hostsBeside(String machine, Pod pod) {
    return "# Kubernetes-managed hosts file (host network).\n" + machine + aliases(pod);
  }

  private static String names(Hostname hostname) {
    return hostname.domain().isEmpty()
        ? hostname.label()
        : hostname.full() + "\t" + hostname.label();
  }

  private static String aliases(Pod pod) {
    var aliases = pod.getSpec().getHostAliases();
    if (aliases.isEmpty()) {
      return "";
    }
    var text = new StringBuilder("\n# Entries added by HostAliases.\n");
    for (HostAlias alias : aliases) {
      text.append(alias.getIp()).append('\t');
      text.append(String.join("\t", alias.getHostnames())).append('\n');
    }
    return text.toString();
  }

  /** Writes the files that changed; returns where each is mounted. */
  static Map<String, Path> write(Path directory, Pod pod, String address, String resolvConf)
      throws IOException, ConfigFailure {
    Files.createDirectories(directory);
    var files = new LinkedHashMap<String, Path>();
    files.put("/etc/hosts", replace(directory.resolve("hosts"), hosts(pod, address)));
    files.put(
        "/etc/hostname",
        replace(directory.resolve("hostname"), Hostname.of(pod).inKernel(pod) + "\n"));
    files.put("/etc/resolv.conf", replace(directory.resolve("resolv.conf"), resolvConf));
    return files;
  }

  /**
   * The same for a pod in the network of the machine: its resolver is told what the pod wants, its
   * name is that of the machine.
   */
  static Map<String, Path> writeBeside(Path directory, Pod pod, String resolvConf)
      throws IOException {
    Files.createDirectories(directory);
    var machine =
        Files.isReadable(HOSTS_OF_THE_MACHINE) ? Files.readString(HOSTS_OF_THE_MACHINE) : "";
    var files = new LinkedHashMap<String, Path>();
    files.put("/etc/hosts", replace(directory.resolve("hosts"), hostsBeside(machine, pod)));
    files.put("/etc/resolv.conf", replace(directory.resolve("resolv.conf"), resolvConf));
    return files;
  }

  /** Containers may write to it whatever they like, also more than memory can hold. */
  private static boolean holds(Path file, String text) throws IOException {
    var wanted = text.getBytes(UTF_8);
    try (var in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(wanted.length + 1), wanted);
    }
  }

  private static Path replace(Path file, String text) throws IOException {
    if (Files.exists(file)) {
      if (holds(file, text)) {
        return file;
      }
      Files.writeString(file, text); // containers have this very file mounted: keep its inode
      return file;
    }
    var temporary = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(temporary, text);
    Files.move(temporary, file, ATOMIC_MOVE, REPLACE_EXISTING);
    return file;
  }
}
