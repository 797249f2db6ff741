package dev.regroup.cli.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.jobset.JobSetCharge;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.time.Duration;

/**
 * Whose JobSet definition a cluster serves. The controller may not read definitions (JS-149e), but
 * everybody may read what the API server says about its kinds: Regroup's definition has fields the
 * released one lacks (JS-154).
 */
final class ServedDefinition {

  private static final String PATH = "/openapi/v3/apis/jobset.x-k8s.io/v1alpha2";
  private static final String OWN_FIELD = "\"inPlaceRestartsCountTowardsMax\"";

  private static final int LOOKS = 10;
  private static final Duration BETWEEN = Duration.ofSeconds(1);

  private ServedDefinition() {}

  static JobSetCharge charge(Transport transport) throws CliFailure, InterruptedException {
    try {
      var answer = transport.send(Request.get(PATH, ""));
      for (int look = 1; look < LOOKS && answer.status() == 404; look++) {
        Thread.sleep(BETWEEN); // a server describes a new kind a moment after it serves it
        answer = transport.send(Request.get(PATH, ""));
      }
      if (answer.status() == 404) {
        throw new CliFailure(
            CliFailure.Code.NOT_FOUND,
            "this cluster knows no JobSets (regroup install makes the kind)",
            null);
      }
      if (!answer.ok()) {
        throw new CliFailure(
            "%s: %d (say --manage=all or --manage=marked)".formatted(PATH, answer.status()));
      }
      return new String(answer.body(), UTF_8).contains(OWN_FIELD)
          ? JobSetCharge.ALL
          : JobSetCharge.MARKED;
    } catch (Transport.Unreachable e) {
      throw new CliFailure("the API server does not answer: " + e.getMessage(), e);
    }
  }
}
