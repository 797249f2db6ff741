package dev.regroup.rules.job;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The UIDs and indexes of one round of counting. */
final class Count {
  private final SeenPods seen;
  private final JobStatus status;
  final List<JobPod> pods = new ArrayList<>();
  private final Set<String> openSucceeded;
  private final Set<String> openFailed;
  private IndexSet indexes;

  Count(SeenPods seen, JobStatus status) {
    this.seen = seen;
    this.status = status;
    this.openSucceeded = new LinkedHashSet<>(status.uncountedSucceeded());
    this.openFailed = new LinkedHashSet<>(status.uncountedFailed());
    this.indexes = status.completedIndexes().below(seen.limit());
  }

  void take(JobPod pod, boolean failing) {
    pods.add(pod);
    if (!seen.valid(pod)) {
      return;
    }
    if (pod.phase() == JobPod.Phase.SUCCEEDED && !openFailed.contains(pod.uid())) {
      if (seen.spec.indexed()) {
        indexes = indexes.with(pod.index().orElseThrow());
      } else {
        openSucceeded.add(pod.uid());
      }
      return;
    }
    if ((pod.failed(seen.spec) || failing) && !seen.ignored(pod)) {
      openFailed.add(pod.uid()); // a failing Job counts whoever still ran (JB-50)
    }
  }

  /** Step 1: the UIDs are in the status, together with those already counted out. */
  JobStatus noted() {
    Set<String> withFinalizer = new HashSet<>();
    seen.pods.stream().filter(JobPod::tracked).forEach(pod -> withFinalizer.add(pod.uid()));
    var failedIndexes = Optional.ofNullable(seen.failedIndexes);
    var based =
        status.withIndexes(
            seen.spec.indexed() ? indexes.size() : status.succeeded(), indexes, failedIndexes);
    return settle(based, withFinalizer);
  }

  /** Step 4, once the finalizers of {@link #pods} are gone. */
  JobStatus settled(JobStatus noted) {
    Set<String> withFinalizer = new HashSet<>();
    seen.pods.stream().filter(JobPod::tracked).forEach(pod -> withFinalizer.add(pod.uid()));
    pods.forEach(pod -> withFinalizer.remove(pod.uid()));
    openSucceeded.retainAll(withFinalizer);
    openFailed.retainAll(withFinalizer);
    return settle(noted, withFinalizer);
  }

  private JobStatus settle(JobStatus from, Set<String> withFinalizer) {
    var succeededLeft = new ArrayList<String>();
    var failedLeft = new ArrayList<String>();
    int succeeded = from.succeeded();
    int failed = from.failed();
    var all = new LinkedHashSet<>(from.uncountedSucceeded());
    all.addAll(openSucceeded);
    for (var uid : all) {
      if (withFinalizer.contains(uid)) {
        succeededLeft.add(uid);
      } else {
        succeeded++;
      }
    }
    all = new LinkedHashSet<>(from.uncountedFailed());
    all.addAll(openFailed);
    for (var uid : all) {
      if (withFinalizer.contains(uid)) {
        failedLeft.add(uid);
      } else {
        failed++;
      }
    }
    return from.withCounts(succeeded, failed, succeededLeft, failedLeft);
  }
}
