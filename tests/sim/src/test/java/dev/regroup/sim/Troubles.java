package dev.regroup.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What really went wrong, by the attempt of the pod it happened to. */
final class Troubles {

  enum Kind {
    WORKER_EXIT,
    /** An init container, sidecar or helper ended. */
    OTHER_EXIT,
    POD_GONE,
    /** Machine, sandbox or network died, or the node could not be reached. */
    SHAKEN,
    REQUESTED
  }

  /** One of them; container and code belong to an exit. */
  record Trouble(Kind kind, String pod, String container, int code) {}

  private final Map<Integer, List<Trouble>> byAttempt = new TreeMap<>();

  void add(int attempt, String pod, Kind kind) {
    add(attempt, new Trouble(kind, pod, "", 0));
  }

  void exit(int attempt, String pod, String container, int code) {
    add(attempt, new Trouble(Kind.WORKER_EXIT, pod, container, code));
  }

  private void add(int attempt, Trouble trouble) {
    byAttempt.computeIfAbsent(attempt, _ -> new ArrayList<>()).add(trouble);
  }

  List<Trouble> at(int attempt) {
    return byAttempt.getOrDefault(attempt, List.of());
  }
}
