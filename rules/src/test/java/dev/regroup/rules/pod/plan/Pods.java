package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.ProbeKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes pods for tests the way node.md section 9 does. */
public final class Pods {
  static final PodSpec.PodId ID = new PodSpec.PodId("ns", "p", "uid-1");

  private final RestartPolicy policy;
  private final List<ContainerSpec> containers = new ArrayList<>();
  private final Map<String, Script> scripts = new java.util.HashMap<>();
  private Duration grace = Duration.ofSeconds(30);
  private PodSpec.BarrierRole barrier = PodSpec.BarrierRole.NONE;
  private String agent = "";

  private Pods(RestartPolicy policy) {
    this.policy = policy;
  }

  static Pods pod(RestartPolicy policy) {
    return new Pods(policy);
  }

  /** Its container {@code src} has all containers restarted after five seconds, once. */
  static Pods simple() {
    return pod(RestartPolicy.NEVER)
        .i("init")
        .c("src", Script.Run.exitAfter(42, Duration.ofSeconds(5)), Script.Run.forever())
        .pol(RestartPolicy.NEVER)
        .rules(all(42))
        .c("reg");
  }

  Pods i(String name, Script.Run... runs) {
    return add(ContainerSpec.of(name, ContainerKind.INIT), runs);
  }

  Pods s(String name, Script.Run... runs) {
    return add(ContainerSpec.of(name, ContainerKind.SIDECAR), runs);
  }

  public Pods c(String name, Script.Run... runs) {
    return add(ContainerSpec.of(name, ContainerKind.REGULAR), runs);
  }

  Pods ephemeral(String name) {
    return add(ContainerSpec.of(name, ContainerKind.EPHEMERAL));
  }

  private Pods add(ContainerSpec spec, Script.Run... runs) {
    containers.add(spec);
    if (runs.length > 0) {
      scripts.put(spec.name(), Script.of(runs));
    } else if (spec.kind() == ContainerKind.INIT) {
      scripts.put(spec.name(), Script.of(Script.Run.exit(0)));
    }
    return this;
  }

  /** Changes the container added last. */
  private Pods last(ContainerSpec changed) {
    containers.set(containers.size() - 1, changed);
    return this;
  }

  private ContainerSpec last() {
    return containers.getLast();
  }

  public Pods pol(RestartPolicy own) {
    return last(last().withPolicy(own));
  }

  Pods rules(ExitRule... rules) {
    return last(last().withRules(List.of(rules)));
  }

  Pods onCompletion() {
    return last(last().withOnCompletion(ContainerSpec.OnCompletion.TERMINATE_POD));
  }

  Pods image(String image) {
    return last(last().withImage(image, image));
  }

  Pods probe(ProbeKind probe, Duration grace) {
    var probes = new EnumMap<ProbeKind, Duration>(ProbeKind.class);
    probes.putAll(last().probes());
    probes.put(probe, grace);
    return last(last().withProbes(probes));
  }

  Pods preStop(Duration takes) {
    var script = scripts.getOrDefault(last().name(), Script.forever());
    scripts.put(last().name(), script.preStop(takes));
    return last(last().withHooks(Set.of(ContainerSpec.Hook.PRE_STOP)));
  }

  Pods postStart(Duration takes) {
    var script = scripts.getOrDefault(last().name(), Script.forever());
    scripts.put(last().name(), script.postStart(takes));
    return last(last().withHooks(Set.of(ContainerSpec.Hook.POST_START)));
  }

  Pods grace(Duration grace) {
    this.grace = grace;
    return this;
  }

  Pods nodeAgent() {
    this.barrier = PodSpec.BarrierRole.NODE_AGENT;
    return this;
  }

  Pods otherAgent(String container) {
    this.barrier = PodSpec.BarrierRole.OTHER_AGENT;
    this.agent = container;
    return this;
  }

  PodSpec spec() {
    return PodSpec.of(ID, policy, containers).withGrace(grace).withBarrier(barrier, agent);
  }

  public SimNode node() {
    var node = new SimNode(spec());
    node.scripts.putAll(scripts);
    return node;
  }

  static ExitRule restart(Integer... codes) {
    return ExitRule.on(ExitRule.Action.RESTART, ExitRule.Operator.IN, List.of(codes));
  }

  public static ExitRule restartNotIn(Integer... codes) {
    return ExitRule.on(ExitRule.Action.RESTART, ExitRule.Operator.NOT_IN, List.of(codes));
  }

  static ExitRule all(Integer... codes) {
    return on(ExitRule.Action.RESTART_ALL_CONTAINERS, codes);
  }

  static ExitRule allNotIn(Integer... codes) {
    return ExitRule.on(
        ExitRule.Action.RESTART_ALL_CONTAINERS, ExitRule.Operator.NOT_IN, List.of(codes));
  }

  static ExitRule on(ExitRule.Action action, Integer... codes) {
    return ExitRule.on(action, ExitRule.Operator.IN, List.of(codes));
  }
}
