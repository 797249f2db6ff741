package dev.regroup.runtime;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a pod's sandbox is made of. The names are for people: they show up in process lists.
 *
 * @param hostname the UTS name; ignored for {@link Network#HOST}, where the host's is shared
 * @param volumes memory-backed volumes that live as long as the sandbox
 * @param processes whose processes the containers see
 * @param ipc whose shared memory and queues the containers use
 * @param settings of the kernel, for the pod's own namespaces: path below {@code /proc/sys} → value
 */
public record SandboxSpec(
    PodUid pod,
    String namespace,
    String name,
    String hostname,
    Network network,
    List<MemoryVolume> volumes,
    Processes processes,
    Ipc ipc,
    Map<String, String> settings) {

  private static final Pattern SETTING = Pattern.compile("[a-z0-9_-]+(/[a-z0-9_-]+)+");

  /** Which network the pod lives in. */
  public enum Network {
    /** Its own namespace, attached through the {@link PodNetwork} if the runtime has one. */
    POD,
    /** The host's. */
    HOST
  }

  /** Which processes a container sees. */
  public enum Processes {
    /** Its own; its command is PID 1 (SEQ-10). */
    OWN,
    /** Those of all containers of the pod; PID 1 is the sandbox's. */
    SHARED,
    /** Those of the host. */
    HOST
  }

  /** Where System V objects, message queues and {@code /dev/shm} come from. */
  public enum Ipc {
    /** The pod has its own, which its containers share. */
    POD,
    /** The host's. */
    HOST
  }

  /**
   * A tmpfs shared by the containers of the pod.
   *
   * @param sizeLimit in bytes; 0 = the kernel's default, half of the memory
   * @param mode permission bits of its root, for example 0777
   * @param gid the group it belongs to
   */
  public record MemoryVolume(String name, long sizeLimit, int mode, int gid) {
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,252}");

    public MemoryVolume {
      if (!SAFE.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "volume name: must match " + SAFE.pattern() + ", got \"" + name + "\"");
      }
      if (sizeLimit < 0) {
        throw new IllegalArgumentException("sizeLimit: must not be negative, got " + sizeLimit);
      }
    }

    /** One of the group root. */
    public MemoryVolume(String name, long sizeLimit, int mode) {
      this(name, sizeLimit, mode, 0);
    }
  }

  /** Containers that see only their own processes. */
  public SandboxSpec(
      PodUid pod,
      String namespace,
      String name,
      String hostname,
      Network network,
      List<MemoryVolume> volumes) {
    this(pod, namespace, name, hostname, network, volumes, Processes.OWN);
  }

  /** With shared memory of its own. */
  public SandboxSpec(
      PodUid pod,
      String namespace,
      String name,
      String hostname,
      Network network,
      List<MemoryVolume> volumes,
      Processes processes) {
    this(pod, namespace, name, hostname, network, volumes, processes, Ipc.POD, Map.of());
  }

  public SandboxSpec {
    requireNonNull(pod, "pod");
    requireNonNull(network, "network");
    requireNonNull(processes, "processes");
    requireNonNull(ipc, "ipc");
    if (hostname.isEmpty() || hostname.length() > 64) {
      throw new IllegalArgumentException(
          "hostname: must have 1 to 64 characters, got \"" + hostname + "\"");
    }
    volumes = List.copyOf(volumes);
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    for (String setting : settings.keySet()) {
      if (!SETTING.matcher(setting).matches()) {
        throw new IllegalArgumentException(
            "setting: must match " + SETTING.pattern() + ", got \"" + setting + "\"");
      }
    }
  }
}
