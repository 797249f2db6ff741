package dev.regroup.node.container;

import dev.regroup.rules.pod.StopReason;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the node knows about a container and the runtime does not, as labels of the runtime's
 * record: from which definition it was made, kept with the record itself, and why and since when it
 * is being stopped, kept before the hook or the signal (DEC-50).
 *
 * <p>A record without them was made by an older version. Nobody knows its definition, so it counts
 * as another one than the pod has now and the container is started anew, once.
 *
 * @param stopSince {@link Instant#EPOCH} while nobody stops it
 */
record ContainerLabels(
    String image, String fingerprint, String sandbox, StopReason stop, Instant stopSince) {

  private static final String IMAGE = "image";
  private static final String FINGERPRINT = "fingerprint";
  private static final String SANDBOX = "sandbox";
  private static final String STOP = "stop";
  private static final String STOP_SINCE = "stopSince";

  static Map<String, String> ofStart(String image, String fingerprint, String sandbox) {
    return Map.of(IMAGE, image, FINGERPRINT, fingerprint, SANDBOX, sandbox);
  }

  static Map<String, String> ofStop(StopReason why, Instant since) {
    return Map.of(STOP, why.name(), STOP_SINCE, since.toString());
  }

  static ContainerLabels read(Map<String, String> labels) {
    var stop = labels.getOrDefault(STOP, "");
    return new ContainerLabels(
        labels.getOrDefault(IMAGE, ""),
        labels.getOrDefault(FINGERPRINT, ""),
        labels.getOrDefault(SANDBOX, ""),
        Stream.of(StopReason.values())
            .filter(reason -> reason.name().equals(stop))
            .findFirst()
            .orElse(StopReason.NONE),
        Instant.parse(labels.getOrDefault(STOP_SINCE, Instant.EPOCH.toString())));
  }
}
