package dev.regroup.api.pod;

import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.pod.PodRestartRequest;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a restart on demand from the annotations of a pod or a JobSet: single keys beside a plain
 * requestID, or one JSON text (RAC-08, JS-167). A text that is neither asks for nothing.
 */
public final class RestartRequests {

  private RestartRequests() {}

  private record Request(
      String id, String reason, Duration grace, String container, boolean uncounted) {}

  public static PodRestartRequest of(@Nullable Map<String, String> annotations) {
    return read(annotations)
        .<PodRestartRequest>map(request ->
            new PodRestartRequest.Asked(
                request.id(), request.reason(), request.grace(), request.container()))
        .orElse(PodRestartRequest.NONE);
  }

  /** Of a JobSet: grace and container have no meaning there (JS-167). */
  public static Optional<GroupRestartRequest> ofGroup(Map<String, String> annotations) {
    return read(annotations)
        .map(request ->
            new GroupRestartRequest(request.id(), request.reason(), !request.uncounted()));
  }

  private static Optional<Request> read(@Nullable Map<String, String> annotations) {
    if (annotations == null) {
      return Optional.empty();
    }
    var text = annotations.getOrDefault(JobSetKeys.RESTART_REQUEST, "").strip();
    boolean uncounted = annotations.getOrDefault(JobSetKeys.RESTART_UNCOUNTED, "").equals("true");
    if (text.startsWith("{")) {
      return fromJson(text, uncounted);
    }
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Request(
                text,
                annotations.getOrDefault(JobSetKeys.RESTART_REASON, ""),
                grace(annotations.getOrDefault(JobSetKeys.RESTART_GRACE, "")),
                annotations.getOrDefault(JobSetKeys.RESTART_CONTAINER, ""),
                uncounted));
  }

  private static Optional<Request> fromJson(String text, boolean uncounted) {
    try {
      var json = Wire.tree(text);
      var id = json.path("requestID").asText("");
      return id.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new Request(
                  id,
                  Trees.text(json, "reason"),
                  Duration.ofSeconds(Math.max(0, Trees.number(json, "grace").orElse(0))),
                  Trees.text(json, "container"),
                  uncounted || Trees.isTrue(json, "uncounted")));
    } catch (UncheckedIOException e) {
      return Optional.empty(); // no request can be read from it, so none was made
    }
  }

  private static Duration grace(String text) {
    try {
      return text.isBlank()
          ? Duration.ZERO
          : Duration.ofSeconds(Math.max(0, Long.parseLong(text.strip())));
    } catch (NumberFormatException e) {
      return Duration.ZERO; // as if it had not been given
    }
  }
}
