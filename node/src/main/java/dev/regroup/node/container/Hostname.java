package dev.regroup.node.container;

import dev.regroup.node.dns.DnsNames;
import dev.regroup.node.env.ConfigFailure;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a pod is called in its own network: {@code hostnameOverride}, which has no domain, else
 * {@code hostname}, else the pod's name; with {@code subdomain} it has a domain below its
 * namespace's.
 *
 * @param label the name itself, cut to what the kernel takes
 * @param domain empty for none
 */
record Hostname(String label, String domain) {

  private static final Path OF_MACHINE = Path.of("/proc/sys/kernel/hostname");
  private static final int LONGEST_LABEL = 63;
  private static final int LONGEST_FOR_KERNEL = 64;

  static Hostname of(Pod pod) {
    var spec = pod.getSpec();
    var override = spec.getHostnameOverride();
    if (!isEmpty(override)) {
      return new Hostname(cut(override), "");
    }
    var wish = spec.getHostname();
    var label = cut(isEmpty(wish) ? pod.getMetadata().getName() : wish);
    var subdomain = spec.getSubdomain();
    return isEmpty(subdomain)
        ? new Hostname(label, "")
        : new Hostname(
            label, subdomain + "." + pod.getMetadata().getNamespace() + ".svc." + DnsNames.ZONE);
  }

  /** Of the machine, which is also that of a pod in its network; empty where nobody says it. */
  static String ofMachine() {
    try {
      return Files.readString(OF_MACHINE).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** With its domain, if it has one. */
  String full() {
    return domain.isEmpty() ? label : label + "." + domain;
  }

  /** What {@code hostname} prints in the pod: all of it where {@code setHostnameAsFQDN} says so. */
  String inKernel(Pod pod) throws ConfigFailure {
    if (!Boolean.TRUE.equals(pod.getSpec().getSetHostnameAsFQDN())) {
      return label;
    }
    if (full().length() > LONGEST_FOR_KERNEL) {
      throw new ConfigFailure(
          "failed to construct FQDN from pod hostname and cluster domain, FQDN %s is too long (%d characters is the max, %d characters requested)"
              .formatted(full(), LONGEST_FOR_KERNEL, full().length()));
    }
    return full();
  }

  private static String cut(String name) {
    if (name.length() <= LONGEST_LABEL) {
      return name;
    }
    int end = LONGEST_LABEL;
    while (end > 1 && (name.charAt(end - 1) == '-' || name.charAt(end - 1) == '.')) {
      end--;
    }
    return name.substring(0, end);
  }

  private static boolean isEmpty(@Nullable String text) {
    return text == null || text.isEmpty();
  }
}
