package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** Checks of security contexts and of what host namespaces demand. */
public final class SecurityValidation {

  private static final long MAX_ID = Integer.MAX_VALUE;
  private static final String ID_TEXT = "must be between 0 and 2147483647, inclusive";
  private static final String SYSCTL =
      "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
  private static final Pattern IS_SYSCTL = Pattern.compile(SYSCTL);
  private static final Pattern IPC_SYSCTL =
      Pattern.compile("kernel\\.(sem$|shm|msg)|fs\\.mqueue\\.");
  private static final List<String> PROFILES = List.of("Localhost", "RuntimeDefault", "Unconfined");

  private static final List<String> PROC_MOUNTS = List.of("Default", "Unmasked");

  private final boolean sharesHostUsers;
  private final List<FieldError> errors;

  public SecurityValidation(JsonNode spec, List<FieldError> errors) {
    this.sharesHostUsers = sharesHostUsers(spec);
    this.errors = errors;
  }

  void ofContainer(JsonNode container, FieldPath containerPath) {
    JsonNode context = container.path("securityContext");
    FieldPath path = containerPath.field("securityContext");
    ids(context, List.of("runAsUser", "runAsGroup"), path);
    procMount(context, path);
    seccomp(context, path);
    boolean forbidsMore =
        Trees.has(context, "allowPrivilegeEscalation")
            && !Trees.isTrue(context, "allowPrivilegeEscalation");
    if (forbidsMore && Trees.isTrue(context, "privileged")) {
      errors.add(
          invalid(
              path,
              FieldError.internal(context),
              "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
    }
    if (forbidsMore && Trees.texts(context, "capabilities", "add").contains("CAP_SYS_ADMIN")) {
      errors.add(
          invalid(
              path,
              FieldError.internal(context),
              "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add`"
                  + " CAP_SYS_ADMIN"));
    }
    new WindowsOptions(errors).check(context, path);
    appArmor(context, path);
  }

  private void procMount(JsonNode context, FieldPath path) {
    var type = Trees.textIfPresent(context, "procMount");
    if (type.isEmpty()) {
      return;
    }
    if (!PROC_MOUNTS.contains(type.get())) {
      errors.add(notSupported(path.field("procMount"), type.get(), PROC_MOUNTS));
    }
    if (type.get().equals("Unmasked") && sharesHostUsers) {
      errors.add(
          invalid(
              path.field("procMount"), type.get(), "`hostUsers` must be false to use `Unmasked`"));
    }
  }

  public void ofPod(JsonNode spec, FieldPath specPath) {
    JsonNode context = spec.path("securityContext");
    FieldPath path = specPath.field("securityContext");
    ids(context, List.of("fsGroup", "runAsUser", "runAsGroup"), path);
    JsonNode groups = context.path("supplementalGroups");
    for (int i = 0; i < groups.size(); i++) {
      long group = groups.path(i).asLong();
      if (group < 0 || group > MAX_ID) {
        errors.add(invalid(path.field("supplementalGroups").index(i), group, ID_TEXT));
      }
    }
    if (Trees.isTrue(spec, "shareProcessNamespace") && Trees.isTrue(spec, "hostPID")) {
      errors.add(
          invalid(
              path.field("shareProcessNamespace"), // Kubernetes keeps it there internally
              true,
              "ShareProcessNamespace and HostPID cannot both be enabled"));
    }
    sysctls(context, spec, path.field("sysctls"));
    oneOf(context, "fsGroupChangePolicy", List.of("Always", "OnRootMismatch"), path);
    seccomp(context, path);
    new WindowsOptions(errors).check(context, path);
    appArmor(context, path);
    oneOf(context, "supplementalGroupsPolicy", List.of("Merge", "Strict"), path);
    oneOf(context, "seLinuxChangePolicy", List.of("Recursive"), path); // its gate is off
  }

  private void oneOf(JsonNode context, String field, List<String> known, FieldPath path) {
    var value = Trees.textIfPresent(context, field);
    if (value.isPresent() && !known.contains(value.get())) {
      errors.add(notSupported(path.field(field), value.get(), known));
    }
  }

  /** With users of its own a pod may not share other namespaces with the host. */
  public void hostUsers(JsonNode spec, FieldPath path) {
    if (sharesHostUsers) {
      return;
    }
    String why = "when `hostUsers` is false";
    if (Trees.isTrue(spec, "hostNetwork")) {
      errors.add(forbidden(path.field("hostNetwork"), why));
    }
    // The capitals are Kubernetes'.
    if (Trees.isTrue(spec, "hostPID")) {
      errors.add(forbidden(path.field("HostPID"), why));
    }
    if (Trees.isTrue(spec, "hostIPC")) {
      errors.add(forbidden(path.field("HostIPC"), why));
    }
    for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        if (!containers.get(i).path("volumeDevices").isEmpty()) {
          errors.add(forbidden(path.field(list).index(i).field("volumeDevices"), why));
        }
      }
    }
  }

  private static boolean sharesHostUsers(JsonNode spec) {
    return !Trees.has(spec, "hostUsers") || Trees.isTrue(spec, "hostUsers");
  }

  private void appArmor(JsonNode context, FieldPath path) {
    JsonNode profile = context.path("appArmorProfile");
    if (!profile.isObject()) {
      return;
    }
    FieldPath at = path.field("appArmorProfile");
    String type = Trees.text(profile, "type");
    var local = Trees.textIfPresent(profile, "localhostProfile");
    FieldPath localAt = at.field("localhostProfile");
    if (type.isEmpty()) {
      errors.add(required(at.field("type"), "type is required when appArmorProfile is set"));
    } else if (!PROFILES.contains(type)) {
      errors.add(notSupported(at.field("type"), type, PROFILES));
    } else if (!type.equals("Localhost")) {
      local.ifPresent(name ->
          errors.add(invalid(localAt, name, "can only be set when AppArmor type is Localhost")));
    } else if (local.isEmpty() || local.get().isEmpty()) {
      errors.add(required(localAt, "must be set when AppArmor type is Localhost"));
    } else if (!local.get().strip().equals(local.get())) {
      errors.add(invalid(localAt, local.get(), "must not be padded with whitespace"));
    }
  }

  private void ids(JsonNode context, List<String> fields, FieldPath path) {
    for (String field : fields) {
      var id = Trees.number(context, field);
      if (id.isPresent() && (id.getAsLong() < 0 || id.getAsLong() > MAX_ID)) {
        errors.add(invalid(path.field(field), id.getAsLong(), ID_TEXT));
      }
    }
  }

  private void seccomp(JsonNode context, FieldPath path) {
    JsonNode profile = context.path("seccompProfile");
    if (!profile.isObject()) {
      return;
    }
    FieldPath at = path.field("seccompProfile");
    String type = Trees.text(profile, "type");
    if (type.isEmpty()) {
      errors.add(required(at.field("type"), "type is required when seccompProfile is set"));
    } else if (!PROFILES.contains(type)) {
      errors.add(notSupported(at.field("type"), type, PROFILES));
    }
    boolean local = Trees.has(profile, "localhostProfile");
    if (type.equals("Localhost") && !local) {
      errors.add(
          required(at.field("localhostProfile"), "must be set when seccomp type is Localhost"));
    } else if (!type.equals("Localhost") && local) {
      errors.add(
          invalid(
              at.field("localhostProfile"),
              FieldError.internal(profile),
              "can only be set when seccomp type is Localhost"));
    } else if (local) {
      FilePaths.relative(
          Trees.text(profile, "localhostProfile"), at.field("localhostProfile"), errors);
    }
  }

  private void sysctls(JsonNode context, JsonNode spec, FieldPath path) {
    var names = new HashSet<String>();
    var sysctls = Trees.objects(context, "sysctls");
    for (int i = 0; i < sysctls.size(); i++) {
      String name = Trees.text(sysctls.get(i), "name");
      FieldPath at = path.index(i).field("name");
      if (name.isEmpty()) {
        errors.add(required(at, ""));
      } else if (name.length() > 253 || !IS_SYSCTL.matcher(name).matches()) {
        errors.add(invalid(at, name, "must have at most 253 characters and match regex " + SYSCTL));
      } else if (!names.add(name)) {
        errors.add(FieldError.duplicate(at, name));
      }
      if (Trees.isTrue(spec, "hostNetwork") && name.startsWith("net.")) {
        errors.add(invalid(at, name, "may not be specified when 'hostNetwork' is true"));
      } else if (Trees.isTrue(spec, "hostIPC") && IPC_SYSCTL.matcher(name).lookingAt()) {
        errors.add(invalid(at, name, "may not be specified when 'hostIPC' is true"));
      }
    }
  }

  /** On the host's network a port is the host's; a template may leave that to the pod. */
  public void hostPorts(JsonNode spec, FieldPath specPath, boolean ofPod) {
    if (!Trees.isTrue(spec, "hostNetwork")) {
      return;
    }
    var containers = Trees.objects(spec, "containers");
    for (int i = 0; i < containers.size(); i++) {
      var ports = Trees.objects(containers.get(i), "ports");
      for (int j = 0; j < ports.size(); j++) {
        long host = Trees.number(ports.get(j), "hostPort").orElse(0);
        long own = Trees.number(ports.get(j), "containerPort").orElse(0);
        if (host != own && (ofPod || host != 0)) {
          errors.add(
              invalid(
                  specPath.field("containers").index(i).field("ports").index(j).field("hostPort"),
                  host,
                  "must match `containerPort` when `hostNetwork` is true"));
        }
      }
    }
  }
}
