package dev.regroup.cli.run;

import dev.regroup.cli.screen.Screen;
import dev.regroup.rules.pod.ContainerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The last lines each container wrote, also of its earlier instances: the words of whoever caused a
 * restart. Of the other instances only the newest few of a pod are kept. Any thread.
 */
final class LastLines {

  private static final int LINES = 8;
  private static final int LONGEST = 400; // characters
  private static final int INSTANCES = 2; // of a pod, beside those of culprits

  private final Map<String, Map<ContainerId, Deque<String>>> pods = new HashMap<>();
  private final Predicate<ContainerId> isCulprit;

  LastLines(Predicate<ContainerId> isCulprit) {
    this.isCulprit = isCulprit;
  }

  synchronized void add(RunScreen.Source source, String line) {
    var instances = pods.computeIfAbsent(source.pod(), _ -> new LinkedHashMap<>());
    var lines = instances.computeIfAbsent(source.instance(), _ -> new ArrayDeque<>());
    if (lines.isEmpty()) {
      forget(instances);
    }
    String text = Screen.unpainted(line);
    lines.addLast(text.length() > LONGEST ? text.substring(0, LONGEST) : text);
    if (lines.size() > LINES) {
      lines.removeFirst();
    }
  }

  synchronized List<String> of(ContainerId instance) {
    return pods.values().stream()
        .filter(instances -> instances.containsKey(instance))
        .findFirst()
        .map(instances -> List.copyOf(instances.get(instance)))
        .orElse(List.of());
  }

  private void forget(Map<ContainerId, Deque<String>> instances) {
    int more = instances.size() - INSTANCES - 1;
    for (var instance : new ArrayList<>(instances.keySet())) {
      if (more <= 0) {
        return;
      }
      if (!isCulprit.test(instance)) {
        instances.remove(instance);
        more--;
      }
    }
  }
}
