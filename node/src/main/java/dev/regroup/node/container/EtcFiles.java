package dev.regroup.node.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import io.fabric8.kubernetes.api.model.HostAlias;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /etc/hosts}, {@code /etc/hostname} and {@code /etc/resolv.conf} of a pod. */
final class EtcFiles {

  private static final int LONGEST_HOSTNAME = 63;

  private EtcFiles() {}

  /** The pod's hostname: its own wish, else its name, cut to what the kernel takes. */
  static String hostname(Pod pod) {
    var wish = pod.getSpec().getHostname();
    var name = wish == null || wish.isEmpty() ? pod.getMetadata().getName() : wish;
    if (name.length() <= LONGEST_HOSTNAME) {
      return name;
    }
    int end = LONGEST_HOSTNAME;
    while (end > 1 && (name.charAt(end - 1) == '-' || name.charAt(end - 1) == '.')) {
      end--;
    }
    return name.substring(0, end);
  }

  static String hosts(Pod pod, String address) {
    var text = new StringBuilder("# Kubernetes-managed hosts file.\n");
    text.append("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n");
    text.append("fe00::\tip6-localnet\nff00::\tip6-mcastprefix\n");
    text.append("ff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n");
    if (!address.isEmpty()) {
      text.append(address).append('\t').append(names(pod)).append('\n');
    }
    var aliases = pod.getSpec().getHostAliases();
    if (!aliases.isEmpty()) {
      text.append("\n# Entries added by HostAliases.\n");
      for (HostAlias alias : aliases) {
        text.append(alias.getIp()).append('\t');
        text.append(String.join("\t", alias.getHostnames())).append('\n');
      }
    }
    return text.toString();
  }

  private static String names(Pod pod) {
    var hostname = hostname(pod);
    @Nullable String subdomain = pod.getSpec().getSubdomain();
    if (subdomain == null || subdomain.isEmpty()) {
      return hostname;
    }
    var domain = subdomain + "." + pod.getMetadata().getNamespace() + ".svc.cluster.local";
    return hostname + "." + domain + "\t" + hostname;
  }

  /** Writes the files that changed; returns where each is mounted. */
  static Map<String, Path> write(Path directory, Pod pod, String address, String resolvConf)
      throws IOException {
    Files.createDirectories(directory);
    var files = new LinkedHashMap<String, Path>();
    files.put("/etc/hosts", replace(directory.resolve("hosts"), hosts(pod, address)));
    files.put("/etc/hostname", replace(directory.resolve("hostname"), hostname(pod) + "\n"));
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
