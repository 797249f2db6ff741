package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of references to the pod's own fields and resources, in variables and in files. */
public final class FieldReferences {

  /** Where the value goes: each place shows other fields, and only a file names a container. */
  public enum Place {
    VARIABLE,
    FILE
  }

  /** In the order in which a refusal lists them. */
  private static final List<String> VARIABLE_FIELDS =
      List.of(
          "metadata.name",
          "metadata.namespace",
          "metadata.uid",
          "spec.nodeName",
          "spec.serviceAccountName",
          "status.hostIP",
          "status.hostIPs",
          "status.podIP",
          "status.podIPs");

  private static final List<String> FILE_FIELDS =
      List.of(
          "metadata.annotations",
          "metadata.labels",
          "metadata.name",
          "metadata.namespace",
          "metadata.uid");

  private static final Pattern SUBSCRIPT = Pattern.compile("(.+)\\['(.*)']");
  private static final String ANNOTATIONS = "metadata.annotations";
  private static final String LABELS = "metadata.labels";
  private static final String OLD_NODE_NAME = "spec.host";

  private static final Set<String> KNOWN_FIELDS =
      Set.of(
          "metadata.annotations",
          "metadata.labels",
          "metadata.name",
          "metadata.namespace",
          "metadata.uid",
          "spec.nodeName",
          "spec.restartPolicy",
          "spec.serviceAccountName",
          "spec.schedulerName",
          "status.phase",
          "status.hostIP",
          "status.hostIPs",
          "status.podIP",
          "status.podIPs");

  private static final List<String> RESOURCES =
      List.of(
          "limits.cpu",
          "limits.ephemeral-storage",
          "limits.memory",
          "requests.cpu",
          "requests.ephemeral-storage",
          "requests.memory");

  private static final List<String> BYTE_DIVISORS =
      List.of("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei");

  private final List<FieldError> errors;

  public FieldReferences(List<FieldError> errors) {
    this.errors = errors;
  }

  /** A reference to a field of the pod itself. */
  public void field(JsonNode ref, Place place, FieldPath path) {
    List<String> allowed =
        switch (place) {
          case VARIABLE -> VARIABLE_FIELDS;
          case FILE -> FILE_FIELDS;
        };
    FieldPath at = path.field("fieldPath");
    String version = Trees.text(ref, "apiVersion");
    if (version.isEmpty()) {
      errors.add(required(path.field("apiVersion"), ""));
      return;
    }
    String field = Trees.text(ref, "fieldPath");
    if (field.isEmpty()) {
      errors.add(required(at, ""));
      return;
    }
    var subscript = SUBSCRIPT.matcher(field);
    String problem = unconvertible(version, field, subscript.matches() ? subscript.group(1) : "");
    if (!problem.isEmpty()) {
      errors.add(invalid(at, field, "error converting fieldPath: " + problem));
    } else if (subscript.matches()) {
      String key = subscript.group(2);
      // Kubernetes compares annotation keys without regard to case, and reports at the reference.
      String checked = subscript.group(1).equals(ANNOTATIONS) ? key.toLowerCase(Locale.ROOT) : key;
      NameRules.qualified(checked).forEach(text -> errors.add(invalid(path, checked, text)));
    } else if (!allowed.contains(field) && !isOldName(field, allowed)) {
      errors.add(notSupported(at, field, allowed));
    }
  }

  private static String unconvertible(String version, String field, String subscripted) {
    if (!version.equals("v1")) {
      return "unsupported pod version: " + version;
    }
    if (!subscripted.isEmpty()) {
      boolean map = subscripted.equals(ANNOTATIONS) || subscripted.equals(LABELS);
      return map ? "" : "field label does not support subscript: " + field;
    }
    boolean known = KNOWN_FIELDS.contains(field) || field.equals(OLD_NODE_NAME);
    return known ? "" : "field label not supported: " + field;
  }

  private static boolean isOldName(String field, List<String> allowed) {
    return field.equals(OLD_NODE_NAME) && allowed.contains("spec.nodeName");
  }

  /** A reference to a request or limit. */
  public void resource(JsonNode ref, Place place, FieldPath path) {
    String resource = Trees.text(ref, "resource");
    boolean hugePages =
        resource.startsWith("requests.hugepages-") || resource.startsWith("limits.hugepages-");
    if (place == Place.FILE && Trees.text(ref, "containerName").isEmpty()) {
      errors.add(required(path.field("containerName"), ""));
    } else if (resource.isEmpty()) {
      errors.add(required(path.field("resource"), ""));
    } else if (!RESOURCES.contains(resource) && !hugePages) {
      errors.add(notSupported(path.field("resource"), resource, RESOURCES));
    }
    divisor(ref, resource, hugePages, path.field("divisor"));
  }

  private void divisor(JsonNode ref, String resource, boolean hugePages, FieldPath path) {
    String divisor = Trees.text(ref, "divisor");
    if (divisor.isEmpty() || divisor.equals("0")) {
      return;
    }
    if (resource.endsWith(".cpu")) {
      if (!List.of("1m", "1").contains(divisor)) {
        errors.add(
            invalid(
                path,
                resource,
                "only divisor's values 1m and 1 are supported with the cpu resource"));
      }
      return;
    }
    String what =
        switch (resource) {
          case "limits.memory", "requests.memory" -> "memory";
          case "limits.ephemeral-storage", "requests.ephemeral-storage" ->
              "local ephemeral storage";
          default -> hugePages ? "hugepages" : "";
        };
    if (!what.isEmpty() && !BYTE_DIVISORS.contains(divisor)) {
      errors.add(
          invalid(
              path,
              resource,
              "only divisor's values %s are supported with the %s resource"
                  .formatted(String.join(", ", BYTE_DIVISORS), what)));
    }
  }
}
