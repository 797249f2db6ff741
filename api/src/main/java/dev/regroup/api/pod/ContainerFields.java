package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Parts of a container status that repeat the spec: resources, mounts and user. */
final class ContainerFields {

  private static final int ALL_MESSAGES = 12 * 1024;

  private final Pod pod;
  private final Map<String, Container> containers = new HashMap<>();
  private final Map<String, List<VolumeMount>> mounts = new HashMap<>();

  ContainerFields(Pod pod) {
    this.pod = pod;
    pod.getSpec().getInitContainers().forEach(c -> containers.put(c.getName(), c));
    pod.getSpec().getContainers().forEach(c -> containers.put(c.getName(), c));
    containers.forEach((name, container) -> mounts.put(name, container.getVolumeMounts()));
    pod.getSpec()
        .getEphemeralContainers()
        .forEach(c -> mounts.put(c.getName(), c.getVolumeMounts()));
  }

  /**
   * Adds them to a status.
   *
   * @param known whether the runtime knows the container: only then there are resources and a user
   */
  void add(ObjectNode wire, String name, boolean known) {
    var container = containers.get(name);
    if (known) {
      resources(wire, container);
    }
    var mounted = mounts.getOrDefault(name, List.of());
    if (!mounted.isEmpty()) {
      var list = wire.putArray("volumeMounts");
      mounted.forEach(mount -> list.add(mount(mount)));
    }
    if (known) {
      wire.putObject("user").set("linux", user(container));
    }
  }

  private static void resources(ObjectNode wire, @Nullable Container container) {
    var resources = Wire.object();
    if (container != null && container.getResources() != null) {
      var requests = quantities(container.getResources().getRequests());
      if (!requests.isEmpty()) {
        var allocated = allocated(requests);
        if (!allocated.isEmpty()) {
          wire.set("allocatedResources", allocated);
        }
        resources.set("requests", requests);
      }
      var limits = quantities(container.getResources().getLimits());
      if (!limits.isEmpty()) {
        resources.set("limits", limits);
      }
    }
    wire.set("resources", resources);
  }

  /** A pod that went past the scheduler may ask for devices, but no node here has any to give. */
  private static ObjectNode allocated(ObjectNode requests) {
    var allocated = requests.deepCopy();
    requests
        .properties()
        .forEach(entry -> {
          if (entry.getKey().contains("/") && !entry.getKey().startsWith("kubernetes.io/")) {
            allocated.remove(entry.getKey());
          }
        });
    return allocated;
  }

  /** In bytes: the kubelet gives 12 KiB to the last words of all containers of a pod. */
  int longestMessage() {
    var spec = pod.getSpec();
    int containers =
        spec.getContainers().size()
            + spec.getInitContainers().size()
            + spec.getEphemeralContainers().size();
    return ALL_MESSAGES / Math.max(1, containers);
  }

  private static ObjectNode quantities(@Nullable Map<String, Quantity> quantities) {
    var wire = Wire.object();
    new TreeMap<>(quantities == null ? Map.of() : quantities)
        .forEach((name, quantity) -> wire.put(name, quantity.toString()));
    return wire;
  }

  private static ObjectNode mount(VolumeMount mount) {
    var wire = Wire.object();
    wire.put("name", mount.getName()).put("mountPath", mount.getMountPath());
    if (Boolean.TRUE.equals(mount.getReadOnly())) {
      var wish = mount.getRecursiveReadOnly();
      boolean recursive = wish != null && !wish.equals("Disabled"); // the runtime always can
      wire.put("readOnly", true).put("recursiveReadOnly", recursive ? "Enabled" : "Disabled");
    }
    return wire;
  }

  private ObjectNode user(@Nullable Container container) {
    var own = container == null ? null : container.getSecurityContext();
    PodSecurityContext shared = pod.getSpec().getSecurityContext();
    long uid =
        first(
            own == null ? null : own.getRunAsUser(), shared == null ? null : shared.getRunAsUser());
    long gid =
        first(
            own == null ? null : own.getRunAsGroup(),
            shared == null ? null : shared.getRunAsGroup());
    var groups = new TreeSet<Long>(List.of(gid));
    if (shared != null) {
      groups.addAll(shared.getSupplementalGroups());
      if (shared.getFsGroup() != null) {
        groups.add(shared.getFsGroup());
      }
    }
    var wire = Wire.object().put("uid", uid).put("gid", gid);
    var supplemental = wire.putArray("supplementalGroups");
    groups.forEach(supplemental::add);
    return wire;
  }

  private static long first(@Nullable Long own, @Nullable Long shared) {
    if (own != null) {
      return own;
    }
    return shared == null ? 0 : shared;
  }

  /**
   * The most that the pod asks for at any time: by its regular containers and sidecars, or by an
   * init container and the sidecars before it.
   */
  static ObjectNode podRequests(Pod pod) {
    var sums = new TreeMap<String, Quantity>();
    var begun = new TreeMap<String, Quantity>();
    var most = new TreeMap<String, Quantity>();
    for (var container : pod.getSpec().getContainers()) {
      sum(container, sums);
    }
    for (var container : pod.getSpec().getInitContainers()) {
      if ("Always".equals(container.getRestartPolicy())) {
        sum(container, sums);
        sum(container, begun);
      } else {
        var now = new TreeMap<>(begun);
        sum(container, now);
        now.forEach((name, amount) -> most.merge(name, amount, ContainerFields::larger));
      }
    }
    most.forEach((name, amount) -> sums.merge(name, amount, ContainerFields::larger));
    var whole = pod.getSpec().getResources();
    if (whole != null && whole.getRequests() != null) {
      sums.putAll(whole.getRequests()); // what the pod asks for as a whole counts instead
    }
    return allocated(quantities(sums));
  }

  private static Quantity larger(Quantity one, Quantity other) {
    return one.getNumericalAmount().compareTo(other.getNumericalAmount()) >= 0 ? one : other;
  }

  private static void sum(Container container, Map<String, Quantity> sums) {
    if (container.getResources() == null || container.getResources().getRequests() == null) {
      return;
    }
    container
        .getResources()
        .getRequests()
        .forEach((name, quantity) -> sums.merge(name, quantity, ContainerFields::plus));
  }

  private static Quantity plus(Quantity one, Quantity other) {
    BigDecimal sum = one.getNumericalAmount().add(other.getNumericalAmount());
    return Quantity.fromNumericalAmount(sum, one.getFormat());
  }
}
