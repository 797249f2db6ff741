package dev.regroup.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.RestartFields;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows of pods: READY, STATUS and RESTARTS computed as Kubernetes does. */
final class PodTable implements TableView {
  private static final String NONE = "<none>";

  private static final List<Column> COLUMNS =
      List.of(
          Column.NAME,
          Column.text("Ready"),
          Column.text("Status"),
          Column.text("Restarts"),
          Column.AGE,
          Column.wide("IP"),
          Column.wide("Node"),
          Column.wide("Nominated Node"),
          Column.wide("Readiness Gates"));

  @Override
  public List<Column> columns() {
    return COLUMNS;
  }

  @Override
  public List<@Nullable Object> cells(ObjectNode pod, Instant now) {
    var summary = new Summary(pod);
    var ip = pod.path("status").path("podIPs").path(0).path("ip").asText("");
    return List.of(
        pod.path("metadata").path("name").asText(),
        summary.ready + "/" + summary.total,
        summary.reason,
        restarts(summary, now),
        Ages.since(pod.path("metadata").path("creationTimestamp").asText(""), now),
        orNone(ip),
        orNone(pod.path("spec").path("nodeName").asText("")),
        orNone(pod.path("status").path("nominatedNodeName").asText("")),
        readinessGates(pod));
  }

  private static String restarts(Summary summary, Instant now) {
    boolean dated = summary.restarts != 0 && !summary.lastRestart.isEmpty();
    return dated
        ? summary.restarts + " (" + Ages.since(summary.lastRestart, now) + " ago)"
        : String.valueOf(summary.restarts);
  }

  private static String readinessGates(ObjectNode pod) {
    var gates = pod.path("spec").path("readinessGates");
    if (gates.isEmpty()) {
      return NONE;
    }
    int met = 0;
    for (var gate : gates) {
      if (isTrue(pod, gate.path("conditionType").asText())) {
        met++;
      }
    }
    return met + "/" + gates.size();
  }

  private static boolean isTrue(ObjectNode pod, String condition) {
    for (var one : pod.path("status").path("conditions")) {
      if (one.path("type").asText().equals(condition)) {
        return one.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private static String orNone(String value) {
    return value.isEmpty() ? NONE : value;
  }

  /** What one look at the containers says about the pod. Built once, read once. */
  private static final class Summary {
    private final ObjectNode pod;
    private final Set<String> sidecars = new HashSet<>();
    private int total;
    private int ready;
    private int restarts;
    private String lastRestart = "";
    private int sidecarRestarts;
    private String lastSidecarRestart = "";
    private String reason;

    Summary(ObjectNode pod) {
      this.pod = pod;
      var status = pod.path("status");
      total = pod.path("spec").path("containers").size();
      reason = first(status.path("reason").asText(""), status.path("phase").asText(""));
      for (var condition : status.path("conditions")) {
        if (condition.path("type").asText().equals("PodScheduled")
            && condition.path("reason").asText().equals("SchedulingGated")) {
          reason = "SchedulingGated";
        }
      }
      for (var container : pod.path("spec").path("initContainers")) {
        if (RestartFields.isSidecar(container)) {
          sidecars.add(container.path("name").asText());
          total++;
        }
      }
      boolean initializing = lookAtInitContainers(status.path("initContainerStatuses"));
      if (!initializing || isTrue(pod, "Initialized")) {
        lookAtContainers(status.path("containerStatuses"));
      }
      lookAtDeletion(status);
    }

    /** Returns whether some init container is still to be done. */
    private boolean lookAtInitContainers(JsonNode statuses) {
      for (int i = 0; i < statuses.size(); i++) {
        var container = statuses.get(i);
        boolean sidecar = sidecars.contains(container.path("name").asText());
        count(container, sidecar);
        var terminated = container.path("state").path("terminated");
        if (terminated.isObject() && terminated.path("exitCode").asInt() == 0) {
          continue;
        }
        if (sidecar && container.path("started").asBoolean()) {
          if (container.path("ready").asBoolean()) {
            ready++;
          }
          continue;
        }
        var waiting = container.path("state").path("waiting").path("reason").asText("");
        if (terminated.isObject()) {
          reason = "Init:" + ended(terminated);
        } else if (!waiting.isEmpty() && !waiting.equals("PodInitializing")) {
          reason = "Init:" + waiting;
        } else {
          reason = "Init:" + i + "/" + pod.path("spec").path("initContainers").size();
        }
        return true;
      }
      return false;
    }

    private void count(JsonNode container, boolean sidecar) {
      int count = container.path("restartCount").asInt();
      var finished = lastFinished(container);
      restarts += count;
      lastRestart = later(lastRestart, finished);
      if (sidecar) {
        sidecarRestarts += count;
        lastSidecarRestart = later(lastSidecarRestart, finished);
      }
    }

    private void lookAtContainers(JsonNode statuses) {
      restarts = sidecarRestarts;
      lastRestart = lastSidecarRestart;
      boolean running = false;
      var failure = "";
      for (int i = statuses.size() - 1; i >= 0; i--) {
        var container = statuses.get(i);
        restarts += container.path("restartCount").asInt();
        lastRestart = later(lastRestart, lastFinished(container));
        var state = container.path("state");
        var waiting = state.path("waiting").path("reason").asText("");
        if (!waiting.isEmpty()) {
          reason = waiting;
        } else if (state.path("terminated").isObject()) {
          reason = ended(state.path("terminated"));
          failure = state.path("terminated").path("exitCode").asInt() == 0 ? failure : reason;
        } else if (container.path("ready").asBoolean() && state.path("running").isObject()) {
          running = true;
          ready++;
        }
      }
      if (reason.equals("Completed")) {
        if (running && isTrue(pod, "Ready")) {
          reason = "Running";
        } else if (!failure.isEmpty()) {
          reason = failure;
        } else if (running) {
          reason = "NotReady";
        }
      }
      boolean succeeded = pod.path("status").path("phase").asText().equals("Succeeded");
      if (succeeded && statuses.size() > 0 && !running) {
        reason = "Completed"; // a rule may call an exit that is not 0 the end of the work
      }
    }

    private void lookAtDeletion(JsonNode status) {
      if (!pod.path("metadata").hasNonNull("deletionTimestamp")) {
        return;
      }
      var phase = status.path("phase").asText();
      if (status.path("reason").asText().equals("NodeLost")) {
        reason = "Unknown";
      } else if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
        reason = "Terminating";
      }
    }

    private static String ended(JsonNode terminated) {
      var why = terminated.path("reason").asText("");
      if (!why.isEmpty()) {
        return why;
      }
      int signal = terminated.path("signal").asInt();
      return signal != 0 ? "Signal:" + signal : "ExitCode:" + terminated.path("exitCode").asInt();
    }

    private static String lastFinished(JsonNode container) {
      return container.path("lastState").path("terminated").path("finishedAt").asText("");
    }

    /** Stamps have one form, so their order as texts is their order in time. */
    private static String later(String a, String b) {
      return a.compareTo(b) >= 0 ? a : b;
    }

    private static String first(String a, String b) {
      return a.isEmpty() ? b : a;
    }
  }
}
