package dev.regroup.api;

import static dev.regroup.api.Gate.State.OFF;
import static dev.regroup.api.Gate.State.ON;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Every feature gate Regroup knows: its name, the names it also answers to, its value in Kubernetes
 * 1.36 or JobSet, its value in the product, and the gates it cannot do without (node.md GATE-01 to
 * GATE-09, jobset.md JS-170, JS-170a).
 */
public enum Gate {
  CONTAINER_RESTART_RULES("ContainerRestartRules", ON, ON),
  NODE_DECLARED_FEATURES("NodeDeclaredFeatures", ON, ON),
  RESTART_ALL_CONTAINERS(
      "RestartAllContainersOnContainerExits", ON, ON, "RestartPodOnContainerExits"),
  TERMINATE_POD_ON_COMPLETION("TerminatePodOnContainerCompletion", OFF, ON, "KeystoneContainers"),
  EXTENDED_RULES("ExtendedContainerRestartRules", OFF, ON),
  /** {@code lifecycle.stopSignal} (API-10). */
  CONTAINER_STOP_SIGNALS("ContainerStopSignals", OFF, ON),
  CRASH_LOOP_BACK_OFF_MAX("KubeletCrashLoopBackOffMax", ON, ON),
  REDUCE_CRASH_LOOP_BACK_OFF("ReduceDefaultCrashLoopBackOffDecay", OFF, OFF),
  CHANGE_STATUS_ON_NODE_RESTART("ChangeContainerStatusOnKubeletRestart", OFF, OFF),
  IN_PLACE_RESTART("InPlaceRestart", OFF, ON),
  RESTART_JOB("RestartJob", OFF, ON),
  ELASTIC_JOB_SET("ElasticJobSet", OFF, ON),
  /** Stable and locked upstream (JS-170). */
  TLS_OPTIONS("TLSOptions", ON, ON);

  /** The value of a gate nobody set. */
  enum State {
    ON,
    OFF
  }

  private final String wireName;
  private final State upstream;
  private final State product;
  private final @Nullable String alias;

  Gate(String wireName, State upstream, State product) {
    this(wireName, upstream, product, null);
  }

  Gate(String wireName, State upstream, State product, @Nullable String alias) {
    this.wireName = wireName;
    this.upstream = upstream;
    this.product = product;
    this.alias = alias;
  }

  public String wireName() {
    return wireName;
  }

  /** Draft names that mean this gate; using one is answered with a warning (GATE-04, GATE-05). */
  public List<String> aliases() {
    return alias == null ? List.of() : List.of(alias);
  }

  public boolean upstreamDefault() {
    return upstream == ON;
  }

  public boolean productDefault() {
    return product == ON;
  }

  /** Known because Kubernetes has it; nothing here asks for it. */
  public boolean changesNothing() {
    return this == CRASH_LOOP_BACK_OFF_MAX || this == CHANGE_STATUS_ON_NODE_RESTART;
  }

  /** A gate that can no longer be switched. */
  public boolean locked() {
    return this == TLS_OPTIONS;
  }

  /** Gates that must be on for this one to be on; start-up fails otherwise (GATE-02). */
  public List<Gate> needs() {
    return this == RESTART_ALL_CONTAINERS
        ? List.of(CONTAINER_RESTART_RULES, NODE_DECLARED_FEATURES)
        : List.of();
  }

  static Optional<Gate> named(String name) {
    for (Gate gate : values()) {
      if (gate.wireName.equals(name) || name.equals(gate.alias)) {
        return Optional.of(gate);
      }
    }
    return Optional.empty();
  }
}
