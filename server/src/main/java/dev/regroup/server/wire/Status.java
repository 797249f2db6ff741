package dev.regroup.server.wire;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Kubernetes' {@code Status} of a failure: the one body every refusal has. */
public record Status(int code, Reason reason, String message, @Nullable Details details) {

  /** After so long a client should ask again. */
  public static final int RETRY_SECONDS = 1;

  /** Machine-readable reasons with their wire names. */
  public enum Reason {
    NONE(""),
    UNAUTHORIZED("Unauthorized"),
    FORBIDDEN("Forbidden"),
    NOT_FOUND("NotFound"),
    ALREADY_EXISTS("AlreadyExists"),
    CONFLICT("Conflict"),
    INVALID("Invalid"),
    BAD_REQUEST("BadRequest"),
    METHOD_NOT_ALLOWED("MethodNotAllowed"),
    NOT_ACCEPTABLE("NotAcceptable"),
    UNSUPPORTED_MEDIA_TYPE("UnsupportedMediaType"),
    REQUEST_ENTITY_TOO_LARGE("RequestEntityTooLarge"),
    EXPIRED("Expired"),
    INTERNAL_ERROR("InternalError"),
    SERVER_TIMEOUT("ServerTimeout"),
    TIMEOUT("Timeout"),
    TOO_MANY_REQUESTS("TooManyRequests"),
    SERVICE_UNAVAILABLE("ServiceUnavailable");

    private final String wireName;

    Reason(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  /** One reason among several, with the field it is about. */
  public record Cause(String reason, String message, String field) {}

  /** Empty texts are left out on the wire. */
  public record Details(String name, String group, String kind, List<Cause> causes) {
    public static final Details EMPTY = new Details("", "", "", List.of());

    public Details {
      causes = List.copyOf(causes);
    }

    static Details of(GroupResource resource, String name) {
      return new Details(name, resource.group(), resource.resource(), List.of());
    }
  }

  public static Status badRequest(String message) {
    return new Status(400, Reason.BAD_REQUEST, message, null);
  }

  /** What a Go server answers when an error has no API meaning. */
  public static Status plainError(String message) {
    return new Status(500, Reason.NONE, message, null);
  }

  public static Status internalError(String cause) {
    return new Status(
        500,
        Reason.INTERNAL_ERROR,
        "Internal error occurred: " + cause,
        new Details("", "", "", List.of(new Cause("", cause, ""))));
  }

  public static Status notFound(GroupResource resource, String name) {
    return new Status(
        404,
        Reason.NOT_FOUND,
        resource + " \"" + name + "\" not found",
        Details.of(resource, name));
  }

  public static Status alreadyExists(GroupResource resource, String name) {
    return new Status(
        409,
        Reason.ALREADY_EXISTS,
        resource + " \"" + name + "\" already exists",
        Details.of(resource, name));
  }

  public static Status conflict(GroupResource resource, String name, String problem) {
    return new Status(
        409,
        Reason.CONFLICT,
        "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + problem,
        Details.of(resource, name));
  }

  public static Status forbidden(GroupResource resource, String name, String problem) {
    var what = name.isEmpty() ? resource.toString() : resource + " \"" + name + "\"";
    return new Status(
        403, Reason.FORBIDDEN, what + " is forbidden: " + problem, Details.of(resource, name));
  }

  public static Status forbiddenPath(String problem) {
    return new Status(403, Reason.FORBIDDEN, "forbidden: " + problem, Details.EMPTY);
  }

  public static Status unauthorized() {
    return new Status(401, Reason.UNAUTHORIZED, "Unauthorized", null);
  }

  public static Status noSuchResource() {
    return new Status(
        404, Reason.NOT_FOUND, "the server could not find the requested resource", Details.EMPTY);
  }

  public static Status methodNotAllowed() {
    return new Status(
        405,
        Reason.METHOD_NOT_ALLOWED,
        "the server does not allow this method on the requested resource",
        Details.EMPTY);
  }

  /** What serves custom kinds says of a method that a part of them does not have. */
  public static Status methodNotSupported(GroupResource resource, Verb verb) {
    return new Status(
        405,
        Reason.METHOD_NOT_ALLOWED,
        "%s is not supported on resources of kind \"%s\"".formatted(verb.wireName(), resource),
        Details.of(resource, ""));
  }

  public static Status tooLarge(int limit) {
    return tooLarge("limit is " + limit);
  }

  public static Status tooLarge(String problem) {
    return new Status(
        413, Reason.REQUEST_ENTITY_TOO_LARGE, "Request entity too large: " + problem, null);
  }

  /**
   * An object or an options object that breaks rules.
   *
   * @param text all problems, rendered
   */
  public static Status invalid(
      String group, String kind, String name, String text, List<Cause> causes) {
    var what = group.isEmpty() ? kind : kind + "." + group;
    return new Status(
        422,
        Reason.INVALID,
        what + " \"" + name + "\" is invalid: " + text,
        new Details(name, group, kind, causes));
  }

  /** Nothing can be written now; later it can. */
  public static Status unavailable(String problem) {
    return new Status(503, Reason.SERVICE_UNAVAILABLE, problem, Details.EMPTY);
  }

  public static Status tooManyRequests(String problem) {
    return new Status(429, Reason.TOO_MANY_REQUESTS, problem, Details.EMPTY);
  }

  /** Whether the same request may succeed after a moment; the answer says after which. */
  public static boolean isTransient(int code) {
    return code == 429 || code == 503;
  }

  public static Status expired(String message) {
    return new Status(410, Reason.EXPIRED, message, null);
  }

  public ObjectNode toJson() {
    var json = JsonNodeFactory.instance.objectNode();
    json.put("kind", "Status").put("apiVersion", "v1");
    json.putObject("metadata");
    json.put("status", "Failure");
    if (!message.isEmpty()) {
      json.put("message", message);
    }
    if (reason != Reason.NONE) {
      json.put("reason", reason.wireName());
    }
    if (details != null) {
      writeDetails(json.putObject("details"), details);
      if (isTransient(code)) {
        json.withObject("/details").put("retryAfterSeconds", RETRY_SECONDS);
      }
    }
    json.put("code", code);
    return json;
  }

  public byte[] toBytes() {
    return toJson().toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void writeDetails(ObjectNode json, Details details) {
    putIfAny(json, "name", details.name());
    putIfAny(json, "group", details.group());
    putIfAny(json, "kind", details.kind());
    if (details.causes().isEmpty()) {
      return;
    }
    var causes = json.putArray("causes");
    for (var cause : details.causes()) {
      var one = causes.addObject();
      putIfAny(one, "reason", cause.reason());
      putIfAny(one, "message", cause.message());
      putIfAny(one, "field", cause.field());
    }
  }

  private static void putIfAny(ObjectNode json, String field, String value) {
    if (!value.isEmpty()) {
      json.put(field, value);
    }
  }
}
