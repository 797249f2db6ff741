package dev.regroup.client;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** A change to an object, in one of the forms a server takes. */
public record Patch(Type type, byte[] body) {

  public enum Type {
    JSON("application/json-patch+json"),
    MERGE("application/merge-patch+json"),
    STRATEGIC_MERGE("application/strategic-merge-patch+json"),
    APPLY("application/apply-patch+yaml");

    private final String contentType;

    Type(String contentType) {
      this.contentType = contentType;
    }

    public String contentType() {
      return contentType;
    }
  }

  public Patch {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(body, "body");
  }

  public static Patch merge(byte[] json) {
    return new Patch(Type.MERGE, json);
  }

  public static Patch merge(String json) {
    return merge(json.getBytes(StandardCharsets.UTF_8));
  }
}
