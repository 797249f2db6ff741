package dev.regroup.node.container;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.runtime.Capabilities;
import dev.regroup.runtime.ContainerConfig.Escalation;
import dev.regroup.runtime.ContainerConfig.Limits;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.ContainerConfig.RootFilesystem;
import dev.regroup.runtime.ContainerConfig.User;
import dev.regroup.runtime.Seccomp;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import io.fabric8.kubernetes.api.model.SecurityContext;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who a container's process is and what it may use, as the runtime wants to hear it. */
final class ContainerDescription {

  private static final SecurityContext NOTHING_SAID = new SecurityContext();
  private static final PodSecurityContext POD_SAYS_NOTHING = new PodSecurityContext();

  private final Pod pod;
  private final Container container;
  private final SecurityContext own;
  private final PodSecurityContext shared;

  ContainerDescription(Pod pod, Container container) {
    this.pod = pod;
    this.container = container;
    this.own =
        container.getSecurityContext() == null ? NOTHING_SAID : container.getSecurityContext();
    var podContext = pod.getSpec().getSecurityContext();
    this.shared = podContext == null ? POD_SAYS_NOTHING : podContext;
  }

  /** Command and arguments with references replaced later by the caller; empty for none. */
  List<String> words() {
    var words = new ArrayList<>(container.getCommand());
    words.addAll(container.getArgs());
    return words;
  }

  User user() throws ConfigFailure {
    long uid = first(own.getRunAsUser(), shared.getRunAsUser());
    long gid = first(own.getRunAsGroup(), shared.getRunAsGroup());
    var nonRoot = own.getRunAsNonRoot() == null ? shared.getRunAsNonRoot() : own.getRunAsNonRoot();
    if (Boolean.TRUE.equals(nonRoot) && uid == 0) {
      throw new ConfigFailure(
          "%s (pod: \"%s_%s(%s)\", container: %s)"
              .formatted(
                  saysWho()
                      ? "container's runAsUser breaks non-root policy"
                      : "container has runAsNonRoot and image will run as root",
                  pod.getMetadata().getName(),
                  pod.getMetadata().getNamespace(),
                  pod.getMetadata().getUid(),
                  container.getName()));
    }
    if ("Unmasked".equals(own.getProcMount())) {
      throw new ConfigFailure(
          "procMount: Unmasked needs a user namespace, which this node has not (leave it out)");
    }
    boolean privileged = Boolean.TRUE.equals(own.getPrivileged());
    return new User(
        Math.toIntExact(uid),
        Math.toIntExact(gid),
        groups(),
        privileged ? Capabilities.ALL : capabilities(),
        privileged ? Privilege.PRIVILEGED : Privilege.ORDINARY,
        Boolean.FALSE.equals(own.getAllowPrivilegeEscalation())
            ? Escalation.DENIED
            : Escalation.ALLOWED,
        Seccomp.UNCONFINED);
  }

  private boolean saysWho() {
    return own.getRunAsUser() != null || shared.getRunAsUser() != null;
  }

  /** What the container says, else what its pod says. */
  Optional<SeccompProfile> seccompProfile() {
    return Optional.ofNullable(
        own.getSeccompProfile() == null ? shared.getSeccompProfile() : own.getSeccompProfile());
  }

  RootFilesystem root() {
    return Boolean.TRUE.equals(own.getReadOnlyRootFilesystem())
        ? RootFilesystem.READ_ONLY
        : RootFilesystem.WRITABLE;
  }

  Limits limits() {
    var resources = container.getResources();
    if (resources == null || resources.getLimits() == null) {
      return Limits.NONE;
    }
    var memory = amount(resources.getLimits(), "memory");
    var cpu = amount(resources.getLimits(), "cpu");
    return new Limits(
        memory == null ? OptionalLong.empty() : OptionalLong.of(memory.longValue()),
        cpu == null
            ? OptionalInt.empty()
            : OptionalInt.of(cpu.multiply(BigDecimal.valueOf(1000)).intValue()),
        OptionalInt.empty());
  }

  private List<Integer> groups() {
    var groups = new ArrayList<Integer>();
    for (var group : shared.getSupplementalGroups()) {
      groups.add(Math.toIntExact(group));
    }
    if (shared.getFsGroup() != null) {
      groups.add(Math.toIntExact(shared.getFsGroup()));
    }
    return groups;
  }

  private Set<Integer> capabilities() throws ConfigFailure {
    var wanted = own.getCapabilities();
    if (wanted == null) {
      return Capabilities.DEFAULT;
    }
    var capabilities = new HashSet<>(Capabilities.DEFAULT);
    for (var name : wanted.getDrop()) {
      if (name.equalsIgnoreCase("ALL")) {
        capabilities.clear();
      } else {
        capabilities.remove(number(name));
      }
    }
    for (var name : wanted.getAdd()) {
      if (name.equalsIgnoreCase("ALL")) {
        capabilities.addAll(Capabilities.ALL);
      } else {
        capabilities.add(number(name));
      }
    }
    return capabilities;
  }

  private int number(String name) throws ConfigFailure {
    var number = Capabilities.number(name);
    if (number.isEmpty()) {
      throw new ConfigFailure(
          "unknown capability \""
              + name
              + "\" in container "
              + container.getName()
              + " of pod "
              + pod.getMetadata().getName());
    }
    return number.getAsInt();
  }

  private static long first(@Nullable Long own, @Nullable Long shared) {
    if (own != null) {
      return own;
    }
    return shared == null ? 0 : shared;
  }

  private static @Nullable BigDecimal amount(Map<String, Quantity> quantities, String name) {
    var quantity = quantities.get(name);
    return quantity == null ? null : quantity.getNumericalAmount();
  }
}
