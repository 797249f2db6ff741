package dev.regroup.cli.local;

import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.Gates.Component;
import dev.regroup.node.image.HostImages;
import dev.regroup.node.image.Images;
import dev.regroup.node.pod.RestartTelling;
import dev.regroup.rules.pod.NodeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Turns feature gates into what the node's rules ask for; the one place where they meet. */
public final class NodeGates {

  private NodeGates() {}

  public static NodeSettings of(Gates gates) {
    var base =
        switch (gates.preset()) {
          case PRODUCT -> NodeSettings.product();
          case UPSTREAM -> NodeSettings.upstream();
        };
    boolean reduced = gates.on(Gate.REDUCE_CRASH_LOOP_BACK_OFF, Component.NODE);
    return new NodeSettings(
        gates.rules(Component.NODE),
        base.podRestartBackOff(),
        base.phaseDuringRestart(),
        base.conditionNames(),
        reduced ? Duration.ofSeconds(1) : base.backOffInitial(),
        reduced ? Duration.ofSeconds(60) : base.backOffMax());
  }

  /** Whether an image that must not be pulled counts as there. */
  static Images images(Gates gates) {
    return switch (gates.preset()) {
      case PRODUCT -> HostImages.HOST;
      case UPSTREAM -> HostImages.NONE_YET;
    };
  }

  /** Recorded answers of Kubernetes have no annotation of ours. */
  static RestartTelling telling(Gates gates) {
    return switch (gates.preset()) {
      case PRODUCT -> RestartTelling.ANNOTATED;
      case UPSTREAM -> RestartTelling.SILENT;
    };
  }

  /** GATE-15: what the scheduler and admission may rely on. */
  static List<String> declaredFeatures(Gates gates) {
    var features = new ArrayList<String>();
    if (gates.on(Gate.NODE_DECLARED_FEATURES, Component.NODE)
        && gates.on(Gate.RESTART_ALL_CONTAINERS, Component.NODE)) {
      features.add(Gate.RESTART_ALL_CONTAINERS.wireName());
    }
    return features;
  }
}
