package dev.regroup.node.container;

import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.PodNotices;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.probe.ProbeVerdict;
import dev.regroup.node.probe.ProbeWorkers;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.runtime.ContainerKey;
import java.time.Duration;
import java.util.function.Supplier;

/** Passes on what probes say: results poke the worker, failures become events, runs are counted. */
record ProbeNews(PodNotices notices, Pokes pokes, Supplier<NodePod> view, ProbeFigures figures)
    implements ProbeWorkers.Listener {

  @Override
  public void judged(ProbeKind kind, ProbeVerdict verdict, Duration took) {
    figures.judged(kind, verdict, took);
  }

  @Override
  public void changed() {
    pokes.poke();
  }

  @Override
  public void unhealthy(ContainerKey key, String message) {
    notices.warn(notices.path(view.get(), key.name()), "Unhealthy", message);
  }

  @Override
  public void warning(ContainerKey key, String message) {
    notices.warn(notices.path(view.get(), key.name()), "ProbeWarning", message);
  }
}
