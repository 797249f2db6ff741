package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.pod.PodRestartRequest;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a restart on demand from annotations: single keys or one JSON text (RAC-08). */
public final class RestartRequests {

  private RestartRequests() {}

  public static PodRestartRequest of(@Nullable Map<String, String> annotations) {
    if (annotations == null) {
      return PodRestartRequest.NONE;
    }
    var request = annotations.getOrDefault(JobSetKeys.RESTART_REQUEST, "").strip();
    if (request.isEmpty()) {
      return PodRestartRequest.NONE;
    }
    if (request.startsWith("{")) {
      return fromJson(request);
    }
    return new PodRestartRequest.Asked(
        request,
        annotations.getOrDefault(JobSetKeys.RESTART_REASON, ""),
        seconds(annotations.getOrDefault(JobSetKeys.RESTART_GRACE, "")),
        annotations.getOrDefault(JobSetKeys.RESTART_CONTAINER, ""));
  }

  private static PodRestartRequest fromJson(String text) {
    JsonNode json;
    try {
      json = Wire.tree(text);
    } catch (UncheckedIOException e) {
      return PodRestartRequest.NONE; // no request can be read from it, so none was made
    }
    var id = json.path("requestID").asText("");
    if (id.isEmpty()) {
      return PodRestartRequest.NONE;
    }
    return new PodRestartRequest.Asked(
        id,
        json.path("reason").asText(""),
        Duration.ofSeconds(Math.max(0, json.path("grace").asLong(0))),
        json.path("container").asText(""));
  }

  private static Duration seconds(String text) {
    try {
      return text.isBlank()
          ? Duration.ZERO
          : Duration.ofSeconds(Math.max(0, Long.parseLong(text.strip())));
    } catch (NumberFormatException e) {
      return Duration.ZERO; // as if it had not been given
    }
  }
}
