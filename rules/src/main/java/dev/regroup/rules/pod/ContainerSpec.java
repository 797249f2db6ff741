package dev.regroup.rules.pod;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One container as far as decisions need it.
 *
 * @param ownPolicy the container's own policy, {@link RestartPolicy#INHERIT} when unset; a sidecar
 *     has {@link RestartPolicy#ALWAYS}
 * @param rules in list order
 * @param fingerprint equal text = equal image and resources: the key of back-off (BKO-01) and the
 *     sign of a changed definition (DEC-49); compared with {@link SeenContainer#fingerprint()}
 * @param probes the probes it has, each with the grace of a kill it causes (TERM-10: its own, else
 *     the pod's)
 * @param hooks the lifecycle hooks it has
 */
public record ContainerSpec(
    String name,
    ContainerKind kind,
    RestartPolicy ownPolicy,
    List<ExitRule> rules,
    OnCompletion onCompletion,
    String image,
    String fingerprint,
    Map<ProbeKind, Duration> probes,
    Set<Hook> hooks) {

  /** {@code lifecycle.onCompletion} (KEP-3582). */
  public enum OnCompletion {
    NOTHING,
    TERMINATE_POD
  }

  /** A lifecycle hook; how it is run is the node's business. */
  public enum Hook {
    POST_START,
    PRE_STOP
  }

  public ContainerSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(ownPolicy, "ownPolicy");
    rules = List.copyOf(rules);
    Objects.requireNonNull(onCompletion, "onCompletion");
    Objects.requireNonNull(image, "image");
    Objects.requireNonNull(fingerprint, "fingerprint");
    probes = Map.copyOf(probes);
    hooks = Set.copyOf(hooks);
  }

  /** A container with nothing but a name and a kind; the {@code with…} methods add the rest. */
  public static ContainerSpec of(String name, ContainerKind kind) {
    var own = kind == ContainerKind.SIDECAR ? RestartPolicy.ALWAYS : RestartPolicy.INHERIT;
    return new ContainerSpec(
        name, kind, own, List.of(), OnCompletion.NOTHING, "", "", Map.of(), Set.of());
  }

  public ContainerSpec withPolicy(RestartPolicy policy) {
    return new ContainerSpec(
        name, kind, policy, rules, onCompletion, image, fingerprint, probes, hooks);
  }

  public ContainerSpec withRules(List<ExitRule> rules) {
    return new ContainerSpec(
        name, kind, ownPolicy, rules, onCompletion, image, fingerprint, probes, hooks);
  }

  public ContainerSpec withOnCompletion(OnCompletion onCompletion) {
    return new ContainerSpec(
        name, kind, ownPolicy, rules, onCompletion, image, fingerprint, probes, hooks);
  }

  public ContainerSpec withImage(String image, String fingerprint) {
    return new ContainerSpec(
        name, kind, ownPolicy, rules, onCompletion, image, fingerprint, probes, hooks);
  }

  public ContainerSpec withProbes(Map<ProbeKind, Duration> probes) {
    return new ContainerSpec(
        name, kind, ownPolicy, rules, onCompletion, image, fingerprint, probes, hooks);
  }

  public ContainerSpec withHooks(Set<Hook> hooks) {
    return new ContainerSpec(
        name, kind, ownPolicy, rules, onCompletion, image, fingerprint, probes, hooks);
  }

  public boolean has(ProbeKind probe) {
    return probes.containsKey(probe);
  }

  public boolean has(Hook hook) {
    return hooks.contains(hook);
  }
}
