package dev.regroup.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Repeated measurements of one thing, sorted. */
record Samples(List<Double> sorted) {

  Samples {
    if (sorted.isEmpty()) {
      throw new IllegalArgumentException("samples: must not be empty");
    }
    double[] values = sorted.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(values);
    sorted = Arrays.stream(values).boxed().toList();
  }

  static Samples ofMillis(List<Duration> durations) {
    return new Samples(durations.stream().map(duration -> duration.toNanos() / 1e6).toList());
  }

  int count() {
    return sorted.size();
  }

  double p50() {
    return percentile(0.50);
  }

  /** With fewer than a hundred samples this is the worst one. */
  double p99() {
    return percentile(0.99);
  }

  /** Nearest rank: always a value that was measured. */
  private double percentile(double share) {
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.get(Math.max(rank, 1) - 1);
  }
}
