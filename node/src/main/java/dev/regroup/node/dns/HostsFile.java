package dev.regroup.node.dns;

import java.util.List;

/** The content of a pod's {@code /etc/hosts}: loopback names, the pod itself, its aliases. Pure. */
public final class HostsFile {
  private static final String LOOPBACK =
      """
      127.0.0.1\tlocalhost
      ::1\tlocalhost ip6-localhost ip6-loopback
      fe00::0\tip6-localnet
      fe00::0\tip6-mcastprefix
      fe00::1\tip6-allnodes
      fe00::2\tip6-allrouters
      """;

  /** One entry of {@code spec.hostAliases}. */
  public record Alias(String ip, List<String> hostnames) {
    public Alias {
      hostnames = List.copyOf(hostnames);
    }
  }

  /** A pod's own entry: its names, the full one first if it has a subdomain. */
  public record Self(String ip, String hostname, String fullName) {
    /** A pod without a subdomain has one name only. */
    public static Self named(String ip, String hostname) {
      return new Self(ip, hostname, "");
    }

    /** A pod with {@code spec.subdomain}: also found under its headless service's name. */
    public static Self below(String subdomain, String namespace, String ip, String hostname) {
      var service = new DnsNames.ServiceName(namespace, subdomain);
      return new Self(ip, hostname, hostname + "." + service.full());
    }

    private String line() {
      return fullName.isEmpty()
          ? ip + "\t" + hostname + "\n"
          : ip + "\t" + fullName + "\t" + hostname + "\n";
    }
  }

  private HostsFile() {}

  /** For a pod with a network of its own. */
  public static String forPod(Self self, List<Alias> aliases) {
    return "# Kubernetes-managed hosts file.\n" + LOOPBACK + self.line() + render(aliases);
  }

  /** For a pod in the host's network: what the host says, and the aliases. */
  public static String forHostNetwork(String hostsOfHost, List<Alias> aliases) {
    return "# Kubernetes-managed hosts file (host network).\n" + hostsOfHost + render(aliases);
  }

  private static String render(List<Alias> aliases) {
    if (aliases.isEmpty()) {
      return "";
    }
    var text = new StringBuilder("\n# Entries added by HostAliases.\n");
    for (Alias alias : aliases) {
      text.append(alias.ip()).append('\t').append(String.join("\t", alias.hostnames()));
      text.append('\n');
    }
    return text.toString();
  }
}
