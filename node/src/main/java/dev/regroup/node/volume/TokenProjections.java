package dev.regroup.node.volume;

import dev.regroup.node.env.PodToken;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** The tokens that the volumes of a pod ask for. */
final class TokenProjections {
  private static final Duration USUAL = Duration.ofHours(1);
  private static final String AUTHORITY = "kube-root-ca.crt";

  private TokenProjections() {}

  static PodToken token(Pod pod, ServiceAccountTokenProjection source) {
    var metadata = pod.getMetadata();
    var account = pod.getSpec().getServiceAccountName();
    var seconds = source.getExpirationSeconds();
    var audience = source.getAudience();
    return new PodToken(
        metadata.getNamespace(),
        account == null || account.isEmpty() ? "default" : account,
        metadata.getName(),
        metadata.getUid(),
        audience == null || audience.isEmpty() ? null : audience,
        seconds == null ? USUAL : Duration.ofSeconds(seconds));
  }

  /** Those of one volume. */
  static List<PodToken> of(Pod pod, Volume volume) {
    return sources(volume).stream().map(source -> token(pod, source)).toList();
  }

  /**
   * Whether everything in the volume is as long good as its tokens: the one every pod has. Such a
   * volume is not looked at again with every start of a container.
   */
  static boolean lastsAsItsTokens(Volume volume) {
    return !sources(volume).isEmpty()
        && volume.getProjected().getSources().stream()
            .allMatch(source ->
                source.getServiceAccountToken() != null
                    || source.getDownwardAPI() != null
                    || (source.getConfigMap() != null
                        && AUTHORITY.equals(source.getConfigMap().getName())));
  }

  private static List<ServiceAccountTokenProjection> sources(Volume volume) {
    return volume.getProjected() == null
        ? List.of()
        : volume.getProjected().getSources().stream()
            .map(source -> source.getServiceAccountToken())
            .filter(Objects::nonNull)
            .toList();
  }
}
