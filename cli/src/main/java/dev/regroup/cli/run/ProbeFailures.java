package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds the containers that are stopped because of a probe: events tell each failed probe, and then
 * that the container is stopped. One thread at a time.
 */
final class ProbeFailures {

  private static final Pattern FAILED =
      Pattern.compile("(Liveness|Startup) probe (?:failed|errored):? ?(.*)", Pattern.DOTALL);
  private static final Pattern PROBE = Pattern.compile(" failed (liveness|startup) probe");
  private static final Duration AT_ONCE = Duration.ofSeconds(2); // events tell whole seconds
  private static final Pattern CONTAINER = Pattern.compile(".*\\{(.*)}");

  /**
   * A probe that ends its container.
   *
   * @param probe {@code liveness} or {@code startup}
   * @param said what the probe had to say, perhaps nothing
   */
  record Fatal(String podUid, String container, String probe, String said, Instant at) {}

  private final Map<String, Fatal> failing = new HashMap<>(); // by pod's uid and container

  /** Takes a pod: a startup probe that went well in the end stops nobody. */
  void shown(FollowedPod pod) {
    for (var container : pod.status().containers()) {
      if (container.started()) {
        failing.computeIfPresent(
            pod.uid() + "/" + container.name(),
            (_, last) -> last.probe().equals("startup") ? null : last);
      }
    }
  }

  /** Takes an event about a pod; the last known form of the pod tells who else may stop it. */
  Optional<Fatal> event(JsonNode event, FollowedPod pod, Instant now) {
    var about = event.path("involvedObject");
    var path = CONTAINER.matcher(about.path("fieldPath").asText());
    if (!path.matches()) {
      return Optional.empty();
    }
    String uid = about.path("uid").asText();
    String key = uid + "/" + path.group(1);
    String message = event.path("message").asText();
    switch (event.path("reason").asText()) {
      case "Unhealthy" -> {
        var failed = FAILED.matcher(message);
        if (failed.matches()) {
          String probe = failed.group(1).toLowerCase(Locale.ROOT);
          String said = failed.group(2).strip();
          failing.put(key, new Fatal(uid, path.group(1), probe, said, at(event, now)));
          shown(pod); // it may be known by now that it went well
        }
      }
      case "Started" -> failing.remove(key);
      case "Killing" -> {
        boolean forAnother = pod.isDeleted() || message.contains(": restart");
        return Optional.ofNullable(failing.remove(key))
            .filter(_ -> !forAnother)
            .filter(last -> PROBE.matcher(message).find() || isAtOnce(last, at(event, now)));
      }
      default -> {}
    }
    return Optional.empty();
  }

  private static Instant at(JsonNode event, Instant now) {
    var told = Trees.time(event, "lastTimestamp");
    return told == null ? now : told;
  }

  /** The last failure ends a container at once; one of long ago was not the last it was given. */
  private static boolean isAtOnce(Fatal last, Instant stopped) {
    return !last.at().plus(AT_ONCE).isBefore(stopped);
  }
}
