package dev.regroup.control.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.job.JobStatusWriter;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.SideBySide;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.informer.Item;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobStatus;
import java.time.InstantSource;
import java.util.List;

/** Performs the effects of one plan for one Job, in order. */
final class JobEffects {

  private final ApiClient client;
  private final PodFeed pods;
  private final EventRecorder events;
  private final InstantSource clock;
  private final CrashPoint crashPoint;
  private final JobFigures figures;

  JobEffects(
      ApiClient client,
      PodFeed pods,
      EventRecorder events,
      JobController.Settings settings,
      JobFigures figures) {
    this.client = client;
    this.pods = pods;
    this.events = events;
    this.clock = settings.clock();
    this.crashPoint = settings.crashPoint();
    this.figures = figures;
  }

  /** Some pods could not be made; the reason is in an event. */
  static final class Incomplete extends Exception {
    Incomplete(ApiFailure cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** Returns the Job as it is after its last status write. */
  Item<JobView> perform(Item<JobView> job, JobPlan plan, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException, Incomplete {
    var now = job;
    for (var effect : plan.effects()) {
      crashPoint.reach("before-" + point(effect));
      switch (effect) {
        case JobPlan.Effect.WriteStatus(JobStatus status) -> now = write(now, status, memory);
        case JobPlan.Effect.CreatePods(List<JobPlan.NewPod> wanted) ->
            create(now, wanted, plan.status(), memory);
        case JobPlan.Effect.DeletePods(List<JobPod> gone, JobPlan.Finalizer finalizer) ->
            delete(now, gone, finalizer, memory);
        case JobPlan.Effect.RemoveFinalizers(List<JobPod> done) -> {
          untrack(now, done, memory);
          figures.judged(now.value(), done);
        }
      }
      crashPoint.reach("after-" + point(effect));
    }
    return now;
  }

  /** The name of the effect's crash points. */
  private static String point(JobPlan.Effect effect) {
    return switch (effect) {
      case JobPlan.Effect.WriteStatus _ -> "write-job-status";
      case JobPlan.Effect.CreatePods _ -> "create-pods";
      case JobPlan.Effect.DeletePods _ -> "delete-pods";
      case JobPlan.Effect.RemoveFinalizers _ -> "remove-finalizers";
    };
  }

  private Item<JobView> write(Item<JobView> job, JobStatus status, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var spec = job.value().spec().orElseThrow();
    var patch = JobStatusWriter.patch(job.resourceVersion(), spec, status);
    var written = client.mergePatchStatus(Kinds.JOBS, job.key(), Wire.text(patch));
    var item = item(job.key(), written);
    memory.wrote(item);
    figures.written(spec, job.value().status(), status);
    return item;
  }

  static Item<JobView> item(ObjectKey key, ObjectNode job) {
    var metadata = job.path("metadata");
    return new Item<>(
        key,
        metadata.path("uid").asText(""),
        metadata.path("resourceVersion").asText(""),
        JobView.read(job));
  }

  /** In batches of 1, 2, 4 …: a template nobody accepts costs one request (JB-54). */
  private void create(
      Item<JobView> job, List<JobPlan.NewPod> wanted, JobStatus planned, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException, Incomplete {
    var fresh = client.get(Kinds.JOBS, job.key());
    boolean same =
        fresh.isPresent()
            && fresh.get().path("metadata").path("uid").asText("").equals(job.uid())
            && !fresh.get().path("metadata").hasNonNull("deletionTimestamp");
    if (!same) {
      return; // the Job is going or gone: no new pods
    }
    int from = 0;
    for (int size = 1; from < wanted.size(); size *= 2) {
      var batch = wanted.subList(from, Math.min(from + size, wanted.size()));
      try {
        SideBySide.each(
            batch,
            one -> {
              var result = JobFigures.Result.ERROR;
              try {
                createOne(job, fresh.get(), one, memory);
                result = JobFigures.Result.SUCCESS;
              } finally {
                figures.created(job.value().spec().orElseThrow(), planned, result);
              }
            });
      } catch (ApiFailure failure) {
        if (!namespaceTerminating(failure)) {
          throw new Incomplete(failure);
        }
        return; // JB-56
      }
      from += batch.size();
    }
  }

  private void createOne(
      Item<JobView> job, ObjectNode template, JobPlan.NewPod wanted, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      var pod = client.create(Kinds.PODS, job.key().namespace(), JobPods.make(template, wanted));
      var uid = pod.path("metadata").path("uid").asText("");
      var name = pod.path("metadata").path("name").asText("");
      memory.created(uid, clock.instant());
      pods.get(new ObjectKey(job.key().namespace(), name))
          .filter(seen -> seen.uid().equals(uid))
          .ifPresent(seen -> memory.saw(uid, seen.value())); // the cache was quicker
      events.normal(about(job), "SuccessfulCreate", "Created pod: " + name);
    } catch (ApiFailure failure) {
      if (!namespaceTerminating(failure)) {
        events.warning(about(job), "FailedCreate", "Error creating: " + failure.getMessage());
      }
      throw failure;
    }
  }

  private static boolean namespaceTerminating(ApiFailure failure) {
    return failure.details().causes().stream()
        .anyMatch(cause -> cause.reason().equals("NamespaceTerminating"));
  }

  private void delete(
      Item<JobView> job, List<JobPod> gone, JobPlan.Finalizer finalizer, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (finalizer == JobPlan.Finalizer.UNTRACK) {
      untrack(job, gone, memory);
    }
    SideBySide.each(
        gone,
        pod -> {
          var key = new ObjectKey(job.key().namespace(), pod.name());
          memory.deleted(pod.uid(), clock.instant());
          try {
            boolean there = client.delete(Kinds.PODS, key, DeleteOptions.NONE.onlyUid(pod.uid()));
            if (there) {
              events.normal(about(job), "SuccessfulDelete", "Deleted pod: " + pod.name());
            }
          } catch (ApiFailure failure) {
            memory.sawGone(pod.uid());
            if (!failure.conflict()) { // another pod has taken the name
              events.warning(about(job), "FailedDelete", "Error deleting: " + failure.getMessage());
              throw failure;
            }
          }
          if (pods.get(key).filter(seen -> seen.uid().equals(pod.uid())).isEmpty()) {
            memory.sawGone(pod.uid());
          }
        });
  }

  private void untrack(Item<JobView> job, List<JobPod> done, JobMemory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    SideBySide.each(
        done,
        pod -> {
          var key = new ObjectKey(job.key().namespace(), pod.name());
          untrack(key, pod.uid());
          memory.untracked(pod.uid());
          var seen = pods.get(key).filter(one -> one.uid().equals(pod.uid()));
          if (seen.isEmpty()) {
            memory.sawGone(pod.uid());
          } else if (!seen.get().value().job().tracked()) {
            memory.saw(pod.uid(), seen.get().value());
          }
        });
  }

  /** Takes the tracking finalizer from a pod; a pod that is gone needs none taken. */
  void untrack(ObjectKey key, String uid)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var pod = client.get(Kinds.PODS, key);
    if (pod.isEmpty() || !pod.get().path("metadata").path("uid").asText("").equals(uid)) {
      return;
    }
    var patch = Wire.object();
    var metadata = patch.putObject("metadata").put("uid", uid);
    var left = metadata.putArray("finalizers");
    boolean had = false;
    for (var finalizer : pod.get().path("metadata").path("finalizers")) {
      if (finalizer.asText("").equals(JobKeys.TRACKING)) {
        had = true;
      } else {
        left.add(finalizer);
      }
    }
    if (!had) {
      return;
    }
    try {
      client.mergePatch(Kinds.PODS, key, Wire.text(patch));
    } catch (ApiFailure failure) {
      if (!failure.notFound() && !failure.conflict()) {
        throw failure;
      }
    }
  }

  static EventRecorder.Subject about(Item<JobView> job) {
    return EventRecorder.Subject.of("batch/v1", "Job", job.key(), job.uid());
  }
}
