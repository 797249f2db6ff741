package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Checks of what security contexts say for Windows. */
public final class WindowsOptions {

  private static final int LONGEST_SPEC_KIB = 64;
  private static final int LONGEST_DOMAIN = 256;
  private static final int LONGEST_USER = 104;
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final Pattern NET_BIOS =
      Pattern.compile("[^\\\\/:*?\"<>|.][^\\\\/:*?\"<>|]{0,14}");
  private static final String DNS_LABEL = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
  private static final Pattern DNS = Pattern.compile(DNS_LABEL + "(\\." + DNS_LABEL + ")*");
  private static final Pattern NO_USER = Pattern.compile("[. ]+");
  private static final Pattern ODD_USER = Pattern.compile("[\"/\\\\:;|=,+*?<>@\\[\\]]");

  private final List<FieldError> errors;

  public WindowsOptions(List<FieldError> errors) {
    this.errors = errors;
  }

  /** Those of one security context. */
  void check(JsonNode context, FieldPath contextPath) {
    JsonNode options = context.path("windowsOptions");
    FieldPath path = contextPath.field("windowsOptions");
    Trees.textIfPresent(options, "gmsaCredentialSpecName")
        .ifPresent(name ->
            NameRules.subdomain(name)
                .forEach(problem ->
                    errors.add(invalid(path.field("gmsaCredentialSpecName"), name, problem))));
    Trees.textIfPresent(options, "gmsaCredentialSpec")
        .ifPresent(spec -> credentials(spec, path.field("gmsaCredentialSpec")));
    Trees.textIfPresent(options, "runAsUserName")
        .ifPresent(name -> user(name, path.field("runAsUserName")));
  }

  private void credentials(String spec, FieldPath path) {
    if (spec.isEmpty()) {
      errors.add(invalid(path, spec, "gmsaCredentialSpec cannot be an empty string"));
    } else if (spec.length() > LONGEST_SPEC_KIB * 1024) {
      errors.add(invalid(path, spec, "gmsaCredentialSpec size must be under 64 KiB"));
    }
  }

  private void user(String name, FieldPath path) {
    String[] parts = name.split("\\\\", -1);
    if (name.isEmpty()) {
      errors.add(invalid(path, name, "runAsUserName cannot be an empty string"));
    } else if (CONTROL.matcher(name).find()) {
      errors.add(invalid(path, name, "runAsUserName cannot contain control characters"));
    } else if (parts.length > 2) {
      errors.add(invalid(path, name, "runAsUserName cannot contain more than one backslash"));
    } else {
      if (parts.length == 2) {
        domain(parts[0], name, path);
      }
      account(parts[parts.length - 1], name, path);
    }
  }

  private void domain(String domain, String name, FieldPath path) {
    if (domain.length() >= LONGEST_DOMAIN) {
      errors.add(invalid(path, name, "runAsUserName's Domain length must be under 256 characters"));
    }
    if (!NET_BIOS.matcher(domain).matches() && !DNS.matcher(domain).matches()) {
      errors.add(
          invalid(
              path, name, "runAsUserName's Domain doesn't match the NetBios nor the DNS format"));
    }
  }

  private void account(String user, String name, FieldPath path) {
    if (user.isEmpty()) {
      errors.add(invalid(path, name, "runAsUserName's User cannot be empty"));
    } else if (user.length() > LONGEST_USER) {
      errors.add(
          invalid(
              path, name, "runAsUserName's User length must not be longer than 104 characters"));
    }
    if (NO_USER.matcher(user).matches()) {
      errors.add(invalid(path, name, "runAsUserName's User cannot contain only periods or spaces"));
    }
    if (ODD_USER.matcher(user).find()) {
      errors.add(
          invalid(
              path,
              name,
              "runAsUserName's User cannot contain the following characters:"
                  + " \"/\\:;|=,+*?<>@[]"));
    }
  }

  /** Processes of the host: all containers or none, and on the host's network. */
  public void hostProcesses(JsonNode spec, FieldPath path) {
    Optional<Boolean> ofPod = hostProcess(spec);
    int containers = 0;
    int onHost = 0;
    for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
      List<ObjectNode> found = Trees.objects(spec, list);
      for (int i = 0; i < found.size(); i++) {
        Optional<Boolean> own = hostProcess(found.get(i));
        containers++;
        onHost += own.or(() -> ofPod).orElse(false) ? 1 : 0;
        if (ofPod.isPresent() && own.isPresent() && !own.equals(ofPod)) {
          FieldPath at = path.field(list).index(i).field("securityContext", "windowsOptions");
          errors.add(
              invalid(
                  at.field("hostProcess"),
                  own.get(),
                  "pod hostProcess value must be identical if both are specified, was "
                      + ofPod.get()));
        }
      }
    }
    if (onHost > 0 && onHost != containers) {
      errors.add(
          invalid(
              path,
              "",
              "If pod contains any hostProcess containers then all containers must be"
                  + " HostProcess containers"));
    }
    if (onHost > 0 && !Trees.isTrue(spec, "hostNetwork")) {
      errors.add(
          invalid(
              path.field("hostNetwork"),
              false,
              "hostNetwork must be true if pod contains any hostProcess containers"));
    }
  }

  private static Optional<Boolean> hostProcess(JsonNode owner) {
    JsonNode value = Trees.at(owner, "securityContext", "windowsOptions", "hostProcess");
    return value.isBoolean() ? Optional.of(value.booleanValue()) : Optional.empty();
  }
}
