package dev.regroup.server.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * The request is answered with this failure. Thrown anywhere in the pipeline and turned into the
 * answer at its top; carries no stack trace because a client's mistake is no accident of ours.
 */
public final class Refused extends Exception {
  private final transient ObjectNode status;
  private final transient List<String> warnings;

  public Refused(Status status) {
    this(status.toJson(), List.of());
  }

  /**
   * A refusal that was rendered elsewhere.
   *
   * @param status a complete {@code Status} object
   * @param warnings found before the refusal; they are sent along
   */
  public Refused(ObjectNode status, List<String> warnings) {
    super(status.path("message").asText(), null, false, false);
    this.status = status;
    this.warnings = List.copyOf(warnings);
  }

  public static Refused badRequest(String message) {
    return new Refused(Status.badRequest(message));
  }

  public int code() {
    return status.path("code").asInt();
  }

  public ObjectNode status() {
    return status;
  }

  public List<String> warnings() {
    return warnings;
  }

  /** The same refusal with more warnings in front. */
  public Refused after(List<String> earlier) {
    if (earlier.isEmpty()) {
      return this;
    }
    var all = new java.util.ArrayList<>(earlier);
    all.addAll(warnings);
    return new Refused(status, all);
  }
}
