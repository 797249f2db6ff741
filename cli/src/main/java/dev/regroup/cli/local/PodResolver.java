package dev.regroup.cli.local;

import dev.regroup.node.dns.ResolvConf;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodDNSConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gives each pod the {@code /etc/resolv.conf} its DNS policy asks for. */
final class PodResolver implements Function<Pod, String> {

  private final String nameServer;

  PodResolver(String nameServer) {
    this.nameServer = nameServer;
  }

  @Override
  public String apply(Pod pod) {
    var spec = pod.getSpec();
    boolean host = Boolean.TRUE.equals(spec.getHostNetwork());
    return ResolvConf.forPod(
            ResolvConf.Policy.of(spec.getDnsPolicy() == null ? "" : spec.getDnsPolicy()),
            host ? ResolvConf.Network.HOST : ResolvConf.Network.POD,
            pod.getMetadata().getNamespace(),
            nameServer,
            hostFile(),
            added(spec.getDnsConfig()))
        .render();
  }

  private static ResolvConf added(@Nullable PodDNSConfig config) {
    if (config == null) {
      return ResolvConf.EMPTY;
    }
    var options = new LinkedHashMap<String, String>();
    config
        .getOptions()
        .forEach(option ->
            options.put(option.getName(), option.getValue() == null ? "" : option.getValue()));
    return new ResolvConf(config.getNameservers(), config.getSearches(), options);
  }

  private static ResolvConf hostFile() {
    try {
      return ResolvConf.parse(Files.readString(Path.of("/etc/resolv.conf")));
    } catch (IOException e) {
      return ResolvConf.EMPTY; // a host without a resolver
    }
  }
}
