package dev.regroup.rules.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Plan of one Job while it is made; used once. */
final class JobPass {

  private static final JobPlan.Note TOO_MANY =
      new JobPlan.Note(
          true,
          "TooManySucceededPods",
          "Too many succeeded pods running after completion count reached");

  private final SeenPods seen;
  private final JobSpec spec;
  private final JobBackOff before;
  private final JobBackOff backOff;
  private final JobPlan.Sight sight;
  private final Instant now;
  private final List<JobPlan.Effect> effects = new ArrayList<>();
  private final List<JobPlan.Note> notes = new ArrayList<>();
  private Instant wakeUp = Instant.MAX;
  private int active;
  private int ready;
  private int terminating;

  JobPass(SeenPods seen, JobBackOff before, JobPlan.Sight sight, Instant now) {
    this.seen = seen;
    this.spec = seen.spec;
    this.before = before;
    this.backOff = before.seen(seen.newSucceeded, seen.newFailed, spec.kin(), now);
    this.sight = sight;
    this.now = now;
    this.active = seen.active.size();
    this.ready = seen.ready();
    this.terminating = seen.terminating;
  }

  JobPlan plan(JobStatus written) {
    var status = seen.status;
    var ending = JobEnding.of(seen, now);
    boolean mayFinish = true;
    if (ending.isPresent()) {
      status = decided(status, ending.get(), written);
      mayFinish = deleteAll();
    } else {
      JobEnding.deadline(seen).ifPresent(this::wake);
      if (sight == JobPlan.Sight.CLEAR) {
        if (spec.wish() != JobSpec.Wish.DELETE) {
          man();
          status = suspension(status);
        }
        ending = reached();
        status = ending.isPresent() ? decided(status, ending.get(), written) : status;
      }
    }
    status = status.withPods(active, ready, terminating);
    var last = count(status, mayFinish ? ending : Optional.empty(), written);
    return new JobPlan(effects, last, notes, effects.isEmpty() ? before : backOff, wakeUp);
  }

  /** JB-49: the decision is durable before anything is done about it. */
  private JobStatus decided(JobStatus status, JobEnding ending, JobStatus written) {
    if (written.is(ending.interim())) {
      return status;
    }
    var next = status.with(ending.interim(), true, ending.reason(), ending.message(), now);
    if (!seen.active.isEmpty()) {
      effects.add(new JobPlan.Effect.WriteStatus(next));
    }
    return next;
  }

  /** JB-48; returns whether the plan may go on to finish. */
  private boolean deleteAll() {
    if (seen.active.isEmpty()) {
      return sight == JobPlan.Sight.CLEAR;
    }
    if (sight == JobPlan.Sight.BLURRED) {
      return false;
    }
    var some = seen.active.stream().limit(Manning.BATCH).toList();
    effects.add(new JobPlan.Effect.DeletePods(some, JobPlan.Finalizer.KEEP));
    boolean all = some.size() == active;
    active -= some.size();
    terminating += some.size();
    ready = all ? 0 : ready - (int) some.stream().filter(JobPod::ready).count();
    return all;
  }

  private void man() {
    var manning = Manning.of(seen, backOff, now);
    wake(manning.wakeUp());
    if (!manning.surplus().isEmpty()) {
      effects.add(new JobPlan.Effect.DeletePods(manning.surplus(), JobPlan.Finalizer.UNTRACK));
      active -= manning.surplus().size();
      ready -= (int) manning.surplus().stream().filter(JobPod::ready).count();
      terminating += manning.surplus().size();
    }
    if (!manning.wanted().isEmpty()) {
      effects.add(new JobPlan.Effect.CreatePods(manning.wanted()));
      active += manning.wanted().size();
    }
  }

  /** JB-90. */
  private JobStatus suspension(JobStatus status) {
    boolean was = status.is(JobStatus.Type.SUSPENDED);
    if (spec.wish() == JobSpec.Wish.SUSPEND && !was) {
      if (complete()) {
        return status; // a suspended Job with nothing to do completes
      }
      notes.add(new JobPlan.Note(false, "Suspended", "Job suspended"));
      return status
          .with(JobStatus.Type.SUSPENDED, true, "JobSuspended", "Job suspended", now)
          .withTimes(null, status.completionTime());
    }
    if (spec.wish() == JobSpec.Wish.RUN && was) {
      notes.add(new JobPlan.Note(false, "Resumed", "Job resumed"));
      return status
          .with(JobStatus.Type.SUSPENDED, false, "JobResumed", "Job resumed", now)
          .withTimes(now, status.completionTime());
    }
    return status;
  }

  /** JB-47 step 8. */
  private Optional<JobEnding> reached() {
    return complete() ? Optional.of(JobEnding.COMPLETIONS_REACHED) : Optional.empty();
  }

  private boolean complete() {
    if (active > 0) {
      return false;
    }
    return spec.completions().isEmpty()
        ? seen.succeeded > 0
        : seen.succeeded >= spec.completions().getAsInt();
  }

  /** JB-57 in two writes around the removal of the finalizers. */
  private JobStatus count(JobStatus status, Optional<JobEnding> ending, JobStatus written) {
    boolean failing = ending.isPresent() && !ending.get().success();
    var tally = new Count(seen, status);
    boolean all = true;
    for (var pod : seen.pods) {
      if (tally.pods.size() == JobPlan.COUNTED_AT_ONCE) {
        wake(now); // the rest in the next plan; only then the Job may finish
        all = false;
        break;
      }
      if (pod.tracked() && countable(pod, ending)) {
        tally.take(pod, failing);
      }
    }
    var noted = tally.noted();
    var settled = tally.settled(noted);
    if (!noted.equals(written) && !tally.pods.isEmpty()) {
      effects.add(new JobPlan.Effect.WriteStatus(noted));
    }
    if (!tally.pods.isEmpty()) {
      effects.add(new JobPlan.Effect.RemoveFinalizers(tally.pods));
    }
    var last = all ? ending.map(end -> finish(settled, end)).orElse(settled) : settled;
    var current = tally.pods.isEmpty() ? written : noted;
    if (!last.equals(current)) {
      effects.add(new JobPlan.Effect.WriteStatus(last));
    }
    return last;
  }

  /** Whether the finalizer of a tracked pod may go now. */
  private boolean countable(JobPod pod, Optional<JobEnding> ending) {
    if (ending.isPresent()
        || pod.phase() == JobPod.Phase.SUCCEEDED
        || spec.wish() == JobSpec.Wish.DELETE) { // JB-93: whoever still runs is let go uncounted
      return true;
    }
    if (!pod.failed(spec)) {
      return false;
    }
    return pod.index().isEmpty() || !pod.equals(seen.carriers.get(pod.index().getAsInt()));
  }

  private JobStatus finish(JobStatus status, JobEnding ending) {
    if (!status.allCounted() || terminating > 0) {
      return status;
    }
    var last = status.with(ending.last(), true, ending.reason(), ending.message(), now);
    if (ending.success() && status.succeeded() > seen.limit()) {
      notes.add(TOO_MANY);
    }
    notes.add(
        ending.success()
            ? new JobPlan.Note(false, "Completed", "Job completed")
            : new JobPlan.Note(true, ending.reason(), ending.message()));
    return ending.success() ? last.withTimes(last.startTime(), now) : last;
  }

  private void wake(Instant at) {
    wakeUp = at.isBefore(wakeUp) ? at : wakeUp;
  }
}
