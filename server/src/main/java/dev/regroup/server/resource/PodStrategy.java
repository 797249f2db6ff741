package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.DeleteParameters;
import java.time.Duration;
import java.time.Instant;

/** The deletion of a pod waits for the node that runs it. */
final class PodStrategy implements KindStrategy {
  private static final long LONGEST_GRACE = Integer.MAX_VALUE; // 68 years, in seconds

  @Override
  public Deletion delete(ObjectNode stored, DeleteParameters options, Instant now) {
    var pod = stored.deepCopy();
    if (!startGrace(pod, options, now)) {
      return new Deletion(Deletion.Kind.NOTHING_NEW, pod);
    }
    var deletion = Deletion.standard(stored, pod, options, now);
    boolean wait = pod.path("metadata").path("deletionGracePeriodSeconds").asLong() > 0;
    return wait && deletion.kind() == Deletion.Kind.REMOVE
        ? new Deletion(Deletion.Kind.MARK, deletion.object())
        : deletion;
  }

  /**
   * Sets or shortens the time a pod gets. An unbound or finished pod needs none (TERM-02).
   *
   * @return false when the pod is already going and no time is taken away
   */
  private static boolean startGrace(ObjectNode pod, DeleteParameters options, Instant now) {
    var metadata = Meta.of(pod);
    if (Meta.deleted(pod)) {
      long granted = metadata.path("deletionGracePeriodSeconds").asLong();
      if (options.gracePeriod().isEmpty() || options.gracePeriod().getAsLong() >= granted) {
        return granted == 0;
      }
      long period = Math.max(0, options.gracePeriod().getAsLong());
      var due =
          Instant.parse(Meta.text(pod, "deletionTimestamp"))
              .minus(Duration.ofSeconds(granted))
              .plus(Duration.ofSeconds(period));
      metadata.put("deletionTimestamp", Meta.stamp(due));
      Meta.put(metadata, "deletionGracePeriodSeconds", period);
      return true;
    }
    long period = grace(pod, options);
    metadata.put("deletionTimestamp", Meta.stamp(now.plus(Duration.ofSeconds(period))));
    Meta.put(metadata, "deletionGracePeriodSeconds", period);
    Deletion.nextGeneration(metadata);
    return true;
  }

  private static long grace(ObjectNode pod, DeleteParameters options) {
    var phase = pod.path("status").path("phase").asText();
    boolean nobodyWaits =
        pod.path("spec").path("nodeName").asText("").isEmpty()
            || phase.equals("Succeeded")
            || phase.equals("Failed");
    if (nobodyWaits) {
      return 0;
    }
    long period =
        options
            .gracePeriod()
            .orElse(pod.path("spec").path("terminationGracePeriodSeconds").asLong(0));
    return period < 0 ? 1 : Math.min(LONGEST_GRACE, period);
  }
}
