package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.pod.RestartRequest;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a restart on demand from annotations: single keys or one JSON text (RAC-08). */
public final class RestartRequests {

  private RestartRequests() {}

  public static RestartRequest of(@Nullable Map<String, String> annotations) {
    if (annotations == null) {
      return RestartRequest.NONE;
    }
    var request = annotations.getOrDefault(JobSetKeys.RESTART_REQUEST, "").strip();
    if (request.isEmpty()) {
      return RestartRequest.NONE;
    }
    if (request.startsWith("{")) {
      return fromJson(request);
    }
    return new RestartRequest.Asked(
        request,
        annotations.getOrDefault(JobSetKeys.RESTART_REASON, ""),
        seconds(annotations.getOrDefault(JobSetKeys.RESTART_GRACE, "")),
        annotations.getOrDefault(JobSetKeys.RESTART_CONTAINER, ""));
  }

  private static RestartRequest fromJson(String text) {
    JsonNode json;
    try {
      json = Wire.tree(text);
    } catch (UncheckedIOException e) {
      return RestartRequest.NONE; // no request can be read from it, so none was made
    }
    var id = json.path("requestID").asText("");
    if (id.isEmpty()) {
      return RestartRequest.NONE;
    }
    return new RestartRequest.Asked(
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
