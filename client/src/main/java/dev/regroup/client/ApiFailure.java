package dev.regroup.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server answered with an error: a {@code Status} object of Kubernetes. */
public final class ApiFailure extends Exception {

  private static final JsonMapper JSON = ServerJson.MAPPER;
  private static final int SHOWN = 200; // characters of an answer that is no Status

  private final int code;
  private final String reason;
  private final Details details;

  /**
   * More about a failure.
   *
   * @param name of the object; empty when the server did not say
   * @param kind of the object, often its plural name; empty when the server did not say
   */
  public record Details(
      String name, String kind, List<Cause> causes, @Nullable Duration retryAfter) {

    public static final Details NONE = new Details("", "", List.of(), null);

    public Details {
      causes = List.copyOf(causes);
    }
  }

  /** One of the things that are wrong. */
  public record Cause(String field, String reason, String message) {}

  public ApiFailure(int code, String reason, String message, Details details) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  public static ApiFailure of(int code, byte[] body) {
    JsonNode status;
    try {
      status = JSON.readTree(body);
    } catch (IOException e) {
      status = JSON.missingNode();
    }
    return status.path("kind").asText("").equals("Status")
        ? of(status)
        : new ApiFailure(code, "", "%d: %s".formatted(code, excerpt(body)), Details.NONE);
  }

  public static ApiFailure of(JsonNode status) {
    var causes = new ArrayList<Cause>();
    var details = status.path("details");
    for (var cause : details.path("causes")) {
      causes.add(
          new Cause(
              cause.path("field").asText(""),
              cause.path("reason").asText(""),
              cause.path("message").asText("")));
    }
    int seconds = details.path("retryAfterSeconds").asInt(0);
    return new ApiFailure(
        status.path("code").asInt(500),
        status.path("reason").asText(""),
        status.path("message").asText(""),
        new Details(
            details.path("name").asText(""),
            details.path("kind").asText(""),
            causes,
            seconds > 0 ? Duration.ofSeconds(seconds) : null));
  }

  private static String excerpt(byte[] body) {
    var text = new String(body, StandardCharsets.UTF_8).strip();
    return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
  }

  public int code() {
    return code;
  }

  /** Kubernetes' one-word reason, such as {@code AlreadyExists}; empty when there is none. */
  public String reason() {
    return reason;
  }

  public Details details() {
    return details;
  }

  /** How long the server asks to wait before trying again. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(details.retryAfter());
  }

  /** Someone else changed the object in between: read it again. */
  public boolean conflict() {
    return code == 409 && !alreadyExists();
  }

  public boolean alreadyExists() {
    return reason.equals("AlreadyExists");
  }

  public boolean notFound() {
    return code == 404;
  }

  /** The revision asked for is too old: list again. */
  public boolean gone() {
    return code == 410;
  }

  public boolean invalid() {
    return code == 422;
  }

  public boolean forbidden() {
    return code == 403;
  }
}
