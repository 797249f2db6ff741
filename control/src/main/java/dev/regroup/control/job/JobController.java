package dev.regroup.control.job;

import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Item;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs Jobs: looks at a Job and its pods, asks {@link JobPlan} and performs the plan. One worker
 * per Job at a time, Jobs side by side. Listeners only put keys into the queue; a change of a pod
 * that its Job does not look at wakes nobody (JB-102).
 */
public final class JobController implements AutoCloseable {

  /** Several pod events collapse into one look (JB-40); Kubernetes waits a second. */
  private static final Duration BATCH = Duration.ofMillis(20);

  /** How long a pod without a Job keeps its finalizer, in case the Job is only late. */
  private static final Duration ORPHAN = Duration.ofMillis(500);

  /** API errors are tried again after growing times (JB-40). */
  private static final Duration FIRST_RETRY = Duration.ofMillis(200);

  private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

  private static final int WORKERS = 8;

  /** What the controller is told once, where it is wired. */
  public record Settings(InstantSource clock, CrashPoint crashPoint, Metrics metrics) {}

  private final ApiClient client;
  private final JobFeed jobs;
  private final PodFeed pods;
  private final EventRecorder events;
  private final InstantSource clock;
  private final JobFigures figures;
  private final JobEffects effects;
  private final PodAdoption adoption;
  private final Map<String, JobMemory> memories = new ConcurrentHashMap<>();
  private final WorkQueue<ObjectKey> queue;
  private final WorkQueue<ObjectKey> orphans;

  public JobController(
      SharedFeeds feeds,
      Transport transport,
      JobFeed jobs,
      PodFeed pods,
      EventRecorder events,
      Settings settings) {
    this.client = new ApiClient(transport);
    this.jobs = jobs;
    this.pods = pods;
    this.events = events;
    this.clock = settings.clock();
    this.figures = new JobFigures(settings.metrics());
    this.effects = new JobEffects(client, pods, events, settings, figures);
    this.adoption = new PodAdoption(client, pods);
    this.queue =
        feeds
            .<ObjectKey>loop("job", WORKERS)
            .retries(FIRST_RETRY, LONGEST_RETRY)
            .hears(jobs.informer(), this::jobChanged)
            .hears(pods.informer(), this::podChanged)
            .run(this::look);
    this.orphans =
        feeds
            .<ObjectKey>loop("job-orphans", 2)
            .retries(FIRST_RETRY, LONGEST_RETRY)
            .reads(jobs.informer())
            .reads(pods.informer())
            .run(this::release);
  }

  @Override
  public void close() {
    queue.close();
    orphans.close();
  }

  private void jobChanged(Delta<JobView> change) {
    switch (change) {
      case Delta.Removed<JobView>(Item<JobView> gone) -> {
        memories.remove(gone.uid());
        pods.controlledBy(gone.uid()).forEach(pod -> orphans.add(pod.key()));
      }
      case Delta.Added<JobView>(Item<JobView> job) -> {
        job.value().foreignManager().ifPresent(figures::foreign);
        queue.add(job.key());
      }
      case Delta.Updated<JobView>(Item<JobView> before, Item<JobView> job) -> {
        boolean wish =
            before.value().generation() != job.value().generation()
                || before.value().deleting() != job.value().deleting();
        if (wish) {
          queue.add(job.key());
        } else {
          queue.addAfter(job.key(), BATCH);
        }
      }
    }
  }

  private void podChanged(Delta<ControlledPod> change) {
    var before = change.old().map(Item::value);
    var now = change.now();
    figures.changed(before.map(ControlledPod::job), now.map(pod -> pod.value().job()));
    var view = now.map(Item::value).or(() -> before).orElseThrow();
    var uid = view.job().uid();
    var owner = view.controller().filter(one -> one.kind().equals("Job"));
    if (owner.isPresent()) {
      var memory = memories.get(owner.get().uid());
      if (memory != null) {
        now.ifPresentOrElse(pod -> memory.saw(uid, pod.value()), () -> memory.sawGone(uid));
      }
    }
    boolean same =
        before.isPresent()
            && now.isPresent()
            && before.get().job().equals(view.job())
            && before.get().labels().equals(view.labels())
            && before.get().controller().equals(view.controller());
    if (same) {
      return;
    }
    if (owner.isEmpty()) {
      wakeAdopters(change.key(), view);
      if (now.isPresent() && view.job().tracked()) {
        orphans.addAfter(change.key(), ORPHAN); // its Job may have let it go and be gone itself
      }
      return;
    }
    var key = new ObjectKey(change.key().namespace(), owner.get().name());
    var job = jobs.get(key);
    if (job.isPresent() && job.get().uid().equals(owner.get().uid())) {
      queue.addAfter(key, BATCH);
    } else if (view.job().tracked()) {
      orphans.addAfter(change.key(), ORPHAN); // the Job may only be late
    }
  }

  private void wakeAdopters(ObjectKey pod, ControlledPod view) {
    if (view.labels().isEmpty()) {
      return;
    }
    for (var job : jobs.in(pod.namespace())) {
      if (PodAdoption.matches(job.value(), view)) {
        queue.addAfter(job.key(), BATCH);
      }
    }
  }

  private Outcome look(ObjectKey key) throws Exception {
    var cached = jobs.get(key);
    if (cached.isEmpty()) {
      return Outcome.settled();
    }
    var memory = memories.computeIfAbsent(cached.get().uid(), _ -> new JobMemory());
    if (jobs.get(key).filter(now -> now.uid().equals(cached.get().uid())).isEmpty()) {
      memories.remove(cached.get().uid()); // it went meanwhile, and nobody else would forget it
      return Outcome.settled();
    }
    var job = memory.newest(cached.get());
    var view = job.value();
    if (view.foreignManager().isPresent()) {
      return expire(job);
    }
    if (view.spec().isEmpty()) {
      events.warning(
          JobEffects.about(job), "UnknownCompletionMode", "Skipped Job sync: unknown mode");
      return Outcome.settled();
    }
    if (!adoption.settled(job)) {
      return Outcome.tryAgain(BATCH, "pods change their owner");
    }
    return sync(job, memory);
  }

  private Outcome sync(Item<JobView> job, JobMemory memory) throws Exception {
    var now = clock.instant();
    var plan = plan(job, memory, memory.sight(now));
    var result = JobFigures.Result.ERROR;
    try {
      effects.perform(job, plan, memory);
      result = JobFigures.Result.SUCCESS;
    } catch (JobEffects.Incomplete incomplete) {
      // What could be counted is counted; the missing pods are tried again later.
      effects.perform(job, plan(job, memory, JobPlan.Sight.BLURRED), memory);
      throw incomplete;
    } catch (ApiFailure failure) {
      if (failure.conflict()) {
        reread(job.key(), memory);
        return Outcome.tryAgain(Duration.ofMillis(5), "the Job has changed meanwhile");
      }
      throw failure;
    } finally {
      var took = Duration.between(now, clock.instant());
      figures.synced(job.value().spec().orElseThrow(), plan, result, took);
    }
    memory.keep(plan.backOff());
    plan.notes().forEach(note -> tell(job, note));
    return job.value().status().finished() ? expire(job) : next(plan, now);
  }

  private JobPlan plan(Item<JobView> job, JobMemory memory, JobPlan.Sight sight) {
    var view = job.value();
    return JobPlan.plan(
        view.spec().orElseThrow(),
        view.status(),
        observed(job, memory),
        memory.backOff(),
        sight,
        clock.instant());
  }

  private List<JobPod> observed(Item<JobView> job, JobMemory memory) {
    var seen = new ArrayList<JobPod>();
    for (var pod : pods.controlledBy(job.uid())) {
      var one = pod.value().job();
      seen.add(one.tracked() && memory.isUntracked(one.uid()) ? one.untracked() : one);
    }
    return seen;
  }

  private void reread(ObjectKey key, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var fresh = client.get(Kinds.JOBS, key);
    fresh.ifPresent(job -> memory.wrote(JobEffects.item(key, job)));
  }

  private static Outcome next(JobPlan plan, Instant now) {
    if (plan.wakeUp().equals(Instant.MAX)) {
      return Outcome.settled();
    }
    var wait = Duration.between(now, plan.wakeUp());
    return Outcome.tryAgain(wait.isNegative() ? Duration.ZERO : wait, "the plan says so");
  }

  private void tell(Item<JobView> job, JobPlan.Note note) {
    if (note.warning()) {
      events.warning(JobEffects.about(job), note.reason(), note.message());
    } else {
      events.normal(JobEffects.about(job), note.reason(), note.message());
    }
  }

  /** JB-91: finished Jobs with a time to live are deleted in the foreground. */
  private Outcome expire(Item<JobView> job)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var view = job.value();
    if (view.deleting()
        || view.ttlSecondsAfterFinished().isEmpty()
        || view.finishedAt().isEmpty()) {
      return Outcome.settled();
    }
    var due =
        view.finishedAt().get().plus(Duration.ofSeconds(view.ttlSecondsAfterFinished().getAsInt()));
    var wait = Duration.between(clock.instant(), due);
    if (wait.isPositive()) {
      return Outcome.tryAgain(wait, "time to live");
    }
    var fresh = client.get(Kinds.JOBS, job.key()).map(one -> JobEffects.item(job.key(), one));
    boolean still =
        fresh.isPresent()
            && fresh.get().uid().equals(job.uid())
            && fresh.get().value().ttlSecondsAfterFinished().equals(view.ttlSecondsAfterFinished());
    if (still) {
      client.delete(
          Kinds.JOBS,
          job.key(),
          DeleteOptions.NONE.with(DeleteOptions.Propagation.FOREGROUND).onlyUid(job.uid()));
    }
    return Outcome.settled();
  }

  /** JB-59: a pod whose Job is gone loses the finalizer; asked of the server, not the cache. */
  private Outcome release(ObjectKey key) throws Exception {
    var pod = pods.get(key);
    if (pod.isEmpty() || !pod.get().value().job().tracked() || hasJob(key, pod.get().value())) {
      return Outcome.settled();
    }
    effects.untrack(key, pod.get().uid());
    return Outcome.settled();
  }

  private boolean hasJob(ObjectKey key, ControlledPod pod)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (pod.controller().isEmpty()) {
      return !pod.job().terminating() // such a pod nobody adopts
          && jobs.in(key.namespace()).stream()
              .anyMatch(job -> !job.value().deleting() && PodAdoption.matches(job.value(), pod));
    }
    var owner = pod.controller().get();
    var job = client.get(Kinds.JOBS, new ObjectKey(key.namespace(), owner.name()));
    return job.isPresent() && job.get().path("metadata").path("uid").asText("").equals(owner.uid());
  }
}
