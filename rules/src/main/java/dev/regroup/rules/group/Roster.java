package dev.regroup.rules.group;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Who is expected at the barrier: the Jobs of the replicated jobs that take part now (JS-133), each
 * with its number of pods.
 */
public record Roster(List<Entry> entries) {

  public static final Roster EMPTY = new Roster(List.of());

  /** One replicated job: its child Jobs are all of the same size. */
  public record Entry(String replicatedJob, List<String> jobs, int podsPerJob, Places places) {
    public Entry {
      jobs = List.copyOf(jobs);
    }
  }

  public enum Places {
    INDEXED,
    ANY
  }

  public Roster {
    entries = List.copyOf(entries);
  }

  /** JS-117, for those who take part. */
  public int expected() {
    long sum = 0;
    for (var entry : entries) {
      sum += (long) entry.jobs().size() * entry.podsPerJob();
    }
    return Math.toIntExact(sum);
  }

  Map<String, Entry> byJob() {
    SequencedMap<String, Entry> byJob = new LinkedHashMap<>();
    for (var entry : entries) {
      entry.jobs().forEach(job -> byJob.put(job, entry));
    }
    return byJob;
  }
}
