package dev.regroup.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.seccomp.Condition;
import dev.regroup.runtime.seccomp.Condition.Operator;
import dev.regroup.runtime.seccomp.Filter;
import dev.regroup.runtime.seccomp.FilterVerdict;
import dev.regroup.runtime.seccomp.Profile;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * What {@code securityContext.seccompProfile} means on this node. A profile of type {@code
 * Localhost} is a JSON file of the node's owner in this directory, as container engines take it:
 * {@code defaultAction} and a list {@code syscalls} of names, action and conditions on arguments.
 */
record SeccompProfiles(Path directory) {

  private static final String FIELD = "securityContext.seccompProfile.localhostProfile";
  private static final int LARGEST = 1 << 20; // 1 MiB
  private static final List<String> NEEDED = List.of("execve", "exit_group");

  /** Nothing said means no filter, as with a kubelet that has no default. */
  Seccomp of(Optional<SeccompProfile> wanted) throws IOException {
    if (wanted.isEmpty() || wanted.get().getType() == null) {
      return Seccomp.UNCONFINED;
    }
    String type = wanted.get().getType();
    return switch (type) {
      case "Unconfined" -> Seccomp.UNCONFINED;
      case "RuntimeDefault" -> Seccomp.RUNTIME_DEFAULT;
      case "Localhost" ->
          new Seccomp.Localhost(load(String.valueOf(wanted.get().getLocalhostProfile())));
      default ->
          throw new IOException(
              "securityContext.seccompProfile.type: must be Localhost, RuntimeDefault or"
                  + " Unconfined, got \"%s\"".formatted(type));
    };
  }

  private Filter load(String name) throws IOException {
    Path file = directory.resolve(name).normalize();
    if (!file.startsWith(directory) || !Files.isRegularFile(file)) {
      throw new IOException(
          "%s: there is no file \"%s\" in %s (put the profile there)"
              .formatted(FIELD, name, directory));
    }
    if (Files.size(file) > LARGEST) {
      throw unusable(name, "is larger than 1 MiB");
    }
    try {
      var profile = profile(Wire.tree(Files.readAllBytes(file)));
      for (String call : NEEDED) {
        if (!profile.allows(call)) {
          throw unusable(name, "refuses %s, without which nothing can start".formatted(call));
        }
      }
      return Filter.of(name, profile, Architecture.current());
    } catch (IllegalArgumentException e) {
      throw unusable(name, String.valueOf(e.getMessage()));
    } catch (com.fasterxml.jackson.core.JacksonException e) {
      throw unusable(name, "is not JSON: " + e.getOriginalMessage());
    }
  }

  private static IOException unusable(String name, String why) {
    return new IOException("%s: \"%s\" %s (change the profile)".formatted(FIELD, name, why));
  }

  private static Profile profile(JsonNode json) {
    var rules = new ArrayList<Profile.Rule>();
    for (JsonNode entry : json.path("syscalls")) {
      var calls = new HashSet<String>();
      entry.path("names").forEach(call -> calls.add(call.asText()));
      var conditions = new ArrayList<Condition>();
      for (JsonNode condition : entry.path("args")) {
        conditions.add(condition(condition));
      }
      rules.add(new Profile.Rule(calls, conditions, verdict(entry, "action", "errnoRet")));
    }
    return new Profile(verdict(json, "defaultAction", "defaultErrnoRet"), rules);
  }

  private static FilterVerdict verdict(JsonNode entry, String field, String errno) {
    String action = entry.path(field).asText();
    return switch (action) {
      case "SCMP_ACT_ALLOW" -> FilterVerdict.ALLOW;
      case "SCMP_ACT_LOG" -> FilterVerdict.LOG;
      case "SCMP_ACT_ERRNO" -> FilterVerdict.error(entry.path(errno).asInt(Errno.EPERM));
      case "SCMP_ACT_KILL", "SCMP_ACT_KILL_THREAD" -> FilterVerdict.KILL_THREAD;
      case "SCMP_ACT_KILL_PROCESS" -> FilterVerdict.KILL_PROCESS;
      case "SCMP_ACT_TRAP" -> FilterVerdict.TRAP;
      default ->
          throw new IllegalArgumentException(
              ("%s: must be SCMP_ACT_ALLOW, _LOG, _ERRNO, _KILL, _KILL_THREAD, _KILL_PROCESS or"
                      + " _TRAP, got \"%s\"")
                  .formatted(field, action));
    };
  }

  private static Condition condition(JsonNode json) {
    String name = json.path("op").asText();
    var operator =
        switch (name) {
          case "SCMP_CMP_EQ" -> Operator.EQUAL;
          case "SCMP_CMP_NE" -> Operator.NOT_EQUAL;
          case "SCMP_CMP_MASKED_EQ" -> Operator.MASKED_EQUAL;
          case "SCMP_CMP_GT" -> Operator.GREATER;
          case "SCMP_CMP_GE" -> Operator.GREATER_OR_EQUAL;
          case "SCMP_CMP_LT" -> Operator.LESS;
          case "SCMP_CMP_LE" -> Operator.LESS_OR_EQUAL;
          default ->
              throw new IllegalArgumentException(
                  "op: must be SCMP_CMP_EQ, _NE, _MASKED_EQ, _GT, _GE, _LT or _LE, got \"%s\""
                      .formatted(name));
        };
    int argument = json.path("index").asInt(-1);
    long value = json.path("value").bigIntegerValue().longValue();
    if (operator != Operator.MASKED_EQUAL) {
      return Condition.of(argument, operator, value);
    }
    long masked = json.path("valueTwo").bigIntegerValue().longValue(); // the value is the mask
    return new Condition(argument, operator, masked, value);
  }
}
