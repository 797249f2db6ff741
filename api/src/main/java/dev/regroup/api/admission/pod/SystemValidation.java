package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** What a pod that names its operating system may not set. */
final class SystemValidation {

  private static final List<String> POD_CONTEXT = List.of("appArmorProfile", "seLinuxOptions");
  private static final List<String> POD_HOST = List.of("hostUsers", "hostPID", "hostIPC");
  private static final List<String> POD_FILES =
      List.of("seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls");
  private static final List<String> POD_IDS =
      List.of(
          "runAsUser",
          "runAsGroup",
          "supplementalGroups",
          "supplementalGroupsPolicy",
          "seLinuxChangePolicy");
  private static final List<String> CONTAINER_CONTEXT =
      List.of(
          "appArmorProfile",
          "seLinuxOptions",
          "seccompProfile",
          "capabilities",
          "readOnlyRootFilesystem",
          "privileged",
          "allowPrivilegeEscalation",
          "procMount",
          "runAsUser",
          "runAsGroup");
  private static final String WINDOWS_POD = "cannot be set for a windows pod";
  private static final String LINUX_POD = "windows options cannot be set for a linux pod";

  private final List<FieldError> errors;

  SystemValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void check(JsonNode spec, String system, FieldPath path) {
    boolean linux = system.equals("linux");
    JsonNode context = spec.path("securityContext");
    FieldPath contextPath = path.field("securityContext");
    if (linux) {
      refuse(context, List.of("windowsOptions"), contextPath, LINUX_POD);
    } else {
      refuse(context, POD_CONTEXT, contextPath, WINDOWS_POD);
      refuse(spec, POD_HOST, path, WINDOWS_POD);
      refuse(context, POD_FILES, contextPath, WINDOWS_POD);
      refuse(spec, List.of("shareProcessNamespace"), path, WINDOWS_POD);
      refuse(context, POD_IDS, contextPath, WINDOWS_POD);
    }
    for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
      List<ObjectNode> containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        refuse(
            containers.get(i).path("securityContext"),
            linux ? List.of("windowsOptions") : CONTAINER_CONTEXT,
            path.field(list).index(i).field("securityContext"),
            linux ? LINUX_POD : WINDOWS_POD);
      }
    }
  }

  private void refuse(JsonNode owner, List<String> fields, FieldPath path, String why) {
    for (String field : fields) {
      JsonNode value = owner.path(field);
      boolean unset = value.isMissingNode() || value.isNull() || isOffSwitch(field, value);
      if (!unset) {
        errors.add(forbidden(path.field(field), why));
      }
    }
  }

  /** The host's process and IPC namespaces are plain booleans: false is not set. */
  private static boolean isOffSwitch(String field, JsonNode value) {
    boolean plain = field.equals("hostPID") || field.equals("hostIPC");
    return plain && !value.asBoolean();
  }
}
