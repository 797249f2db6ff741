package dev.regroup.api.admission.field;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.LinkedHashSet;
import java.util.List;

/** Answers of kind {@code Status} in Kubernetes' form. */
public final class RefusalStatus {

  private RefusalStatus() {}

  /** 422 with one cause per error; the message names equal texts once. */
  public static ObjectNode invalid(GroupVersionKind kind, String name, List<FieldError> errors) {
    return denied(kind, name, errors, "");
  }

  /** The same with a prefix, e.g. the sentence that names the webhook (JS-43). */
  public static ObjectNode denied(
      GroupVersionKind kind, String name, List<FieldError> errors, String prefix) {
    String qualified = kind.group().isEmpty() ? kind.kind() : kind.kind() + "." + kind.group();
    String message =
        prefix + qualified + " " + FieldError.quote(name) + " is invalid: " + join(errors);
    ObjectNode status = failure(422, "Invalid", message);
    ObjectNode details = status.putObject("details");
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    if (!kind.group().isEmpty()) {
      details.put("group", kind.group());
    }
    if (!kind.kind().isEmpty()) {
      details.put("kind", kind.kind());
    }
    var causes = details.putArray("causes");
    for (FieldError error : errors) {
      causes
          .addObject()
          .put("reason", error.kind().cause())
          .put("message", error.body())
          .put("field", error.path().toString());
    }
    return ordered(status);
  }

  /** 403 as an admission plugin answers: {@code pods "x" is forbidden: why}. */
  public static ObjectNode forbidden(String group, String plural, String name, String why) {
    String resource = group.isEmpty() ? plural : plural + "." + group;
    ObjectNode status =
        failure(
            403, "Forbidden", resource + " " + FieldError.quote(name) + " is forbidden: " + why);
    ObjectNode details = status.putObject("details");
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    if (!group.isEmpty()) {
      details.put("group", group);
    }
    details.put("kind", plural);
    return ordered(status);
  }

  /** 403 as a webhook answers that says no. */
  public static ObjectNode denied(String webhook, String why) {
    return ordered(
        failure(
            403,
            "Forbidden",
            "admission webhook " + FieldError.quote(webhook) + " denied the request: " + why));
  }

  /** 400. */
  public static ObjectNode badRequest(String message) {
    return ordered(failure(400, "BadRequest", message));
  }

  static String join(List<FieldError> errors) {
    var texts = new LinkedHashSet<String>();
    errors.forEach(error -> texts.add(error.toString()));
    return texts.size() == 1 ? texts.getFirst() : "[" + String.join(", ", texts) + "]";
  }

  private static ObjectNode failure(int code, String reason, String message) {
    ObjectNode status = Wire.object();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    return status
        .put("status", "Failure")
        .put("message", message)
        .put("reason", reason)
        .put("code", code);
  }

  /** Kubernetes writes the code last. */
  private static ObjectNode ordered(ObjectNode status) {
    var code = status.remove("code");
    return status.set("code", code);
  }
}
