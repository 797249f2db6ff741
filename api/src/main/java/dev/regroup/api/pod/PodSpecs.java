package dev.regroup.api.pod;

import dev.regroup.api.ExtendedFields;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodSpec.BarrierRole;
import dev.regroup.rules.pod.ProbeKind;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerRestartRule;
import io.fabric8.kubernetes.api.model.EphemeralContainer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodReadinessGate;
import io.fabric8.kubernetes.api.model.Probe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns a pod of the wire into what decisions are made on. The pod was admitted before. */
public final class PodSpecs {

  private static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);

  private PodSpecs() {}

  public static PodSpec of(Pod pod) {
    var metadata = pod.getMetadata();
    var spec = pod.getSpec();
    var grace = grace(pod);
    var containers = new ArrayList<ContainerSpec>();
    for (var container : spec.getInitContainers()) {
      var kind =
          "Always".equals(container.getRestartPolicy())
              ? ContainerKind.SIDECAR
              : ContainerKind.INIT;
      containers.add(container(container, kind, grace));
    }
    for (var container : spec.getContainers()) {
      containers.add(container(container, ContainerKind.REGULAR, grace));
    }
    for (var container : spec.getEphemeralContainers()) {
      containers.add(ephemeral(container));
    }
    return new PodSpec(
        new PodSpec.PodId(metadata.getNamespace(), metadata.getName(), metadata.getUid()),
        policy(spec.getRestartPolicy(), RestartPolicy.ALWAYS),
        containers,
        grace,
        spec.getActiveDeadlineSeconds() == null
            ? PodSpec.NO_DEADLINE
            : Duration.ofSeconds(spec.getActiveDeadlineSeconds()),
        spec.getReadinessGates().stream().map(PodReadinessGate::getConditionType).toList(),
        barrier(pod),
        barrier(pod) == BarrierRole.OTHER_AGENT ? agent(pod) : "",
        RestartGrace.of(pod.getMetadata().getAnnotations()),
        PodSpec.Origin.API);
  }

  /** The pod's deletion, if it was asked for (TERM-02). */
  public static Deletion deletion(Pod pod) {
    var timestamp = pod.getMetadata().getDeletionTimestamp();
    if (timestamp == null) {
      return Deletion.NONE;
    }
    var seconds = pod.getMetadata().getDeletionGracePeriodSeconds();
    var grace = seconds == null ? grace(pod) : Duration.ofSeconds(seconds);
    return new Deletion.Asked(Instant.parse(timestamp).minus(grace), grace);
  }

  /** The JobSet this pod belongs to, if Regroup's node may have to play its agent (JS-165). */
  public static Optional<String> jobSet(Pod pod) {
    var labels = pod.getMetadata().getLabels();
    return labels == null
        ? Optional.empty()
        : Optional.ofNullable(labels.get(JobSetKeys.JOBSET_NAME));
  }

  private static BarrierRole barrier(Pod pod) {
    var annotations = pod.getMetadata().getAnnotations();
    if (annotations == null || jobSet(pod).isEmpty()) {
      return BarrierRole.NONE;
    }
    var kind = annotations.get(JobSetKeys.INJECT_AGENT);
    if ("node".equals(kind)) {
      return BarrierRole.NODE_AGENT;
    }
    boolean reports =
        annotations.containsKey(JobSetKeys.IN_PLACE_RESTART_ATTEMPT)
            || annotations.containsKey(JobSetKeys.EPOCH);
    boolean participates = kind != null && !kind.equals("none") && !kind.equals("false");
    return reports || participates ? BarrierRole.OTHER_AGENT : BarrierRole.NONE; // RAC-54
  }

  /** The container that plays the group agent, by the marks of JS-57a; empty when there is none. */
  private static String agent(Pod pod) {
    for (var container : pod.getSpec().getInitContainers()) {
      boolean restartsAll =
          container.getRestartPolicyRules().stream()
              .anyMatch(rule -> "RestartAllContainers".equals(rule.getAction()));
      if (restartsAll && "Always".equals(container.getRestartPolicy())) {
        return container.getName();
      }
    }
    for (var container : pod.getSpec().getContainers()) {
      if (container.getEnv().stream().anyMatch(env -> "WORKER_COMMAND".equals(env.getName()))) {
        return container.getName();
      }
    }
    return "";
  }

  private static Duration grace(Pod pod) {
    var seconds = pod.getSpec().getTerminationGracePeriodSeconds();
    if (seconds == null) {
      return DEFAULT_GRACE;
    }
    return Duration.ofSeconds(seconds < 0 ? 1 : seconds); // IMM-01: a negative one means 1
  }

  private static ContainerSpec container(Container container, ContainerKind kind, Duration grace) {
    var probes = new EnumMap<ProbeKind, Duration>(ProbeKind.class);
    probe(ProbeKind.STARTUP, container.getStartupProbe(), grace, probes);
    probe(ProbeKind.LIVENESS, container.getLivenessProbe(), grace, probes);
    probe(ProbeKind.READINESS, container.getReadinessProbe(), grace, probes);
    return new ContainerSpec(
        container.getName(),
        kind,
        policy(container.getRestartPolicy(), RestartPolicy.INHERIT),
        rules(container.getRestartPolicyRules()),
        ExtendedFields.terminatesPodOnCompletion(container)
            ? ContainerSpec.OnCompletion.TERMINATE_POD
            : ContainerSpec.OnCompletion.NOTHING,
        orEmpty(container.getImage()),
        Fingerprint.of(container),
        probes,
        hooks(container));
  }

  private static ContainerSpec ephemeral(EphemeralContainer container) {
    return ContainerSpec.of(container.getName(), ContainerKind.EPHEMERAL)
        .withImage(orEmpty(container.getImage()), orEmpty(container.getImage()));
  }

  private static void probe(
      ProbeKind kind, @Nullable Probe probe, Duration podGrace, Map<ProbeKind, Duration> probes) {
    if (probe == null) {
      return;
    }
    var own = probe.getTerminationGracePeriodSeconds();
    probes.put(kind, own == null ? podGrace : Duration.ofSeconds(own));
  }

  private static Set<ContainerSpec.Hook> hooks(Container container) {
    var hooks = EnumSet.noneOf(ContainerSpec.Hook.class);
    var lifecycle = container.getLifecycle();
    if (lifecycle != null && lifecycle.getPostStart() != null) {
      hooks.add(ContainerSpec.Hook.POST_START);
    }
    if (lifecycle != null && lifecycle.getPreStop() != null) {
      hooks.add(ContainerSpec.Hook.PRE_STOP);
    }
    return hooks;
  }

  /** The rules of a container, in order; the status guard of the API reads them too (IMM-03). */
  public static List<ExitRule> rules(List<ContainerRestartRule> wire) {
    var rules = new ArrayList<ExitRule>();
    for (var rule : wire) {
      action(rule.getAction())
          .ifPresent(action ->
              rules.add(
                  new ExitRule(
                      action,
                      condition(rule),
                      ExtendedFields.keep(rule),
                      Duration.ofSeconds(
                          ExtendedFields.terminationGracePeriodSeconds(rule).orElse(0)))));
    }
    return rules;
  }

  /** Empty only past validation; such a rule has no effect. */
  private static Optional<ExitRule.Action> action(@Nullable String name) {
    for (var action : ExitRule.Action.values()) {
      if (action.wireName().equals(name)) {
        return Optional.of(action);
      }
    }
    return Optional.empty();
  }

  private static ExitRule.Condition condition(ContainerRestartRule rule) {
    var codes = rule.getExitCodes();
    if (codes != null) {
      return new ExitRule.Condition.ExitCodes(operator(codes.getOperator()), codes.getValues());
    }
    var times = ExtendedFields.restartTimes(rule);
    if (times.isPresent()) {
      return new ExitRule.Condition.RestartTimes(times.getAsInt());
    }
    if (ExtendedFields.onOomKill(rule)) {
      return new ExitRule.Condition.OomKill();
    }
    if (ExtendedFields.onAnyExit(rule)) {
      return new ExitRule.Condition.AnyExit();
    }
    return new ExitRule.Condition.ExitCodes(ExitRule.Operator.UNKNOWN, List.of());
  }

  private static ExitRule.Operator operator(@Nullable String name) {
    for (var operator : ExitRule.Operator.values()) {
      if (operator.wireName().equals(name)) {
        return operator;
      }
    }
    return ExitRule.Operator.UNKNOWN; // DEC-13
  }

  private static RestartPolicy policy(@Nullable String name, RestartPolicy unset) {
    for (var policy : RestartPolicy.values()) {
      if (policy != RestartPolicy.INHERIT && policy.wireName().equals(name)) {
        return policy;
      }
    }
    return unset;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
