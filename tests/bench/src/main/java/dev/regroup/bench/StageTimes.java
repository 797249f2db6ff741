package dev.regroup.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where the time of repeated restarts goes: the moments of each round since its beginning. */
final class StageTimes {

  private final Map<String, List<Duration>> times = new LinkedHashMap<>();

  void add(String stage, Instant begin, Instant at) {
    times.computeIfAbsent(stage, _ -> new ArrayList<>()).add(Duration.between(begin, at));
  }

  Map<String, Double> medians() {
    var medians = new LinkedHashMap<String, Double>();
    times.forEach((stage, durations) -> medians.put(stage, Samples.ofMillis(durations).p50()));
    return medians;
  }
}
