package dev.regroup.rules.pod;

import dev.regroup.rules.RestartPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One pod as far as decisions need it. Validated and defaulted before it gets here.
 *
 * @param containers init entries in list order, then regular ones in list order, then ephemeral
 * @param readinessGates condition types that must be True before the pod is Ready (STS-31)
 * @param activeDeadline {@link #NO_DEADLINE} when unset
 * @param barrier whether regular containers wait for the group (JS-165)
 * @param agentContainer name of the container that plays the group agent, empty for none (RAC-54)
 * @param restartGrace between the stop signal and SIGKILL in a restart of all containers; zero
 *     kills at once (JS-169)
 * @param origin whether an API object stands behind the pod (TERM-08, STS-04e)
 */
public record PodSpec(
    PodId id,
    RestartPolicy restartPolicy,
    List<ContainerSpec> containers,
    Duration terminationGrace,
    Duration activeDeadline,
    List<String> readinessGates,
    BarrierRole barrier,
    String agentContainer,
    Duration restartGrace,
    Origin origin) {

  /** As a kubelet stops the victims of a restart of all containers (RAC-13): 2 s. */
  public static final Duration RESTART_GRACE = Duration.ofSeconds(2);

  /** Longer than any pod lives: about 292 years. */
  public static final Duration NO_DEADLINE = Duration.ofNanos(Long.MAX_VALUE);

  /** Identity of a pod. */
  public record PodId(String namespace, String name, String uid) {
    public PodId {
      Objects.requireNonNull(namespace, "namespace");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(uid, "uid");
    }

    /** As the node writes it in texts: {@code name_namespace(uid)}. */
    @Override
    public String toString() {
      return name + "_" + namespace + "(" + uid + ")";
    }
  }

  /** Whether Regroup's node plays the group agent for this pod (JS-165). */
  public enum BarrierRole {
    NONE,
    NODE_AGENT,
    /** Part of an in-place group, but some other agent plays: only RAC-54 applies. */
    OTHER_AGENT
  }

  /** Where the pod comes from. */
  public enum Origin {
    API,
    STATIC
  }

  public PodSpec {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(restartPolicy, "restartPolicy");
    containers = List.copyOf(containers);
    Objects.requireNonNull(terminationGrace, "terminationGrace");
    Objects.requireNonNull(activeDeadline, "activeDeadline");
    readinessGates = List.copyOf(readinessGates);
    Objects.requireNonNull(barrier, "barrier");
    Objects.requireNonNull(agentContainer, "agentContainer");
    Objects.requireNonNull(restartGrace, "restartGrace");
    Objects.requireNonNull(origin, "origin");
  }

  /** A pod of the API with default grace (30 s), no deadline, no gates, no group. */
  public static PodSpec of(PodId id, RestartPolicy policy, List<ContainerSpec> containers) {
    return new PodSpec(
        id,
        policy,
        containers,
        Duration.ofSeconds(30),
        NO_DEADLINE,
        List.of(),
        BarrierRole.NONE,
        "",
        RESTART_GRACE,
        Origin.API);
  }

  public PodSpec withBarrier(BarrierRole role, String agent) {
    return new PodSpec(
        id,
        restartPolicy,
        containers,
        terminationGrace,
        activeDeadline,
        readinessGates,
        role,
        agent,
        restartGrace,
        origin);
  }

  public PodSpec withGrace(Duration grace) {
    return new PodSpec(
        id,
        restartPolicy,
        containers,
        grace,
        activeDeadline,
        readinessGates,
        barrier,
        agentContainer,
        restartGrace,
        origin);
  }

  public PodSpec withDeadline(Duration deadline) {
    return new PodSpec(
        id,
        restartPolicy,
        containers,
        terminationGrace,
        deadline,
        readinessGates,
        barrier,
        agentContainer,
        restartGrace,
        origin);
  }

  public PodSpec withRestartGrace(Duration grace) {
    return new PodSpec(
        id,
        restartPolicy,
        containers,
        terminationGrace,
        activeDeadline,
        readinessGates,
        barrier,
        agentContainer,
        grace,
        origin);
  }

  public PodSpec withReadinessGates(List<String> gates) {
    return new PodSpec(
        id,
        restartPolicy,
        containers,
        terminationGrace,
        activeDeadline,
        gates,
        barrier,
        agentContainer,
        restartGrace,
        origin);
  }

  /** Init entries, plain ones and sidecars, in list order. */
  public List<ContainerSpec> initEntries() {
    return containers.stream().filter(c -> c.kind().isInitEntry()).toList();
  }

  public List<ContainerSpec> regular() {
    return ofKind(ContainerKind.REGULAR);
  }

  public List<ContainerSpec> ofKind(ContainerKind kind) {
    var found = new ArrayList<ContainerSpec>(containers.size());
    for (var container : containers) { // asked several times on each look: no stream
      if (container.kind() == kind) {
        found.add(container);
      }
    }
    return found;
  }
}
