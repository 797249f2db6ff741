package dev.regroup.sim.control;

import dev.regroup.api.Wire;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.job.JobStatusWriter;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobParts;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.sim.Plant;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError;
import dev.regroup.sim.api.Feed;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Line;
import dev.regroup.sim.api.Stored;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.api.Weather;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The Job controller: one pass after the other as {@code control.job} makes them. */
public final class SimJobs extends SimController {

  private static final long BATCH = 20;
  private static final long ORPHAN = 500;

  private final Plant plant;
  private final Feed<JobView> jobs;
  private final Feed<ControlledPod> pods;
  private final Map<String, JobParts.Memory> memories = new HashMap<>();

  public SimJobs(Simulation sim, Line line, Weather weather, Plant plant) {
    super(sim, line, weather, "job controller", 200);
    this.plant = plant;
    this.jobs =
        new Feed<>(line, Kind.JOB, _ -> true, one -> one.as(SimJobSets.JOB), this::jobChanged);
    this.pods =
        new Feed<>(
            line,
            Kind.POD,
            _ -> true,
            one -> SimJobSets.pod(one, plant.podOfJob(one.tree())),
            this::podChanged);
  }

  @Override
  void openFeeds() {
    pods.start();
    jobs.start();
  }

  @Override
  void forget() {
    pods.stop();
    jobs.stop();
    memories.clear();
  }

  private void jobChanged(Delta<JobView> delta) {
    if (delta instanceof Delta.Removed<JobView>(var gone)) {
      memories.remove(gone.uid());
      podsOf(gone.uid()).forEach(pod -> release(pod.key().name()));
    } else {
      add(delta.key());
    }
  }

  private void podChanged(Delta<ControlledPod> delta) {
    var view = delta.now().or(delta::old).orElseThrow().value();
    var owner = view.controller().filter(one -> one.kind().equals("Job"));
    if (owner.isEmpty()) {
      return;
    }
    var uid = view.job().uid();
    var memory = memories.get(owner.get().uid());
    if (memory != null) {
      delta.now().ifPresentOrElse(pod -> memory.saw(uid, pod.value()), () -> memory.sawGone(uid));
    }
    boolean same =
        delta.old().isPresent()
            && delta.now().isPresent()
            && delta.old().get().value().job().equals(view.job());
    if (same) {
      return; // nothing its Job looks at
    }
    var key = new ObjectKey(delta.key().namespace(), owner.get().name());
    if (jobs.get(key).filter(job -> job.uid().equals(owner.get().uid())).isPresent()) {
      add(key, BATCH);
    } else if (view.job().tracked()) {
      release(delta.key().name()); // the Job may only be late
    }
  }

  private List<Item<ControlledPod>> podsOf(String uid) {
    return pods.find(pod -> SimJobSets.isOwner(pod.value().controller(), uid));
  }

  /** JB-59: a pod whose Job is gone loses the finalizer; asked of the server, not the cache. */
  private void release(String name) {
    sim.within(
        ORPHAN,
        () -> {
          if (!isUp()) {
            return;
          }
          try {
            boolean alone =
                line.call(api ->
                    api.get(Kind.POD, name)
                        .filter(pod -> !hasJob(api, pod.as(SimJobSets.POD)))
                        .isPresent());
            var seen = pods.get(new ObjectKey(VirtualApi.NAMESPACE, name));
            if (alone && seen.isPresent()) {
              line.call(api -> untrack(api, name, seen.get().uid()));
            }
          } catch (ApiError error) {
            release(name);
          }
        });
  }

  private static boolean hasJob(VirtualApi api, ControlledPod pod) {
    var owner = pod.controller().orElseThrow();
    return api.get(Kind.JOB, owner.name()).filter(job -> job.uid().equals(owner.uid())).isPresent();
  }

  // ---- a pass ----------------------------------------------------------------------------------

  @Override
  void look(ObjectKey key) {
    if (!jobs.synced() || !pods.synced()) {
      tryAgain(key, BATCH);
      return;
    }
    var cached = jobs.get(key);
    if (cached.isEmpty()) {
      settled(key);
      return;
    }
    var memory = memories.computeIfAbsent(cached.get().uid(), _ -> new JobParts.Memory());
    var job = memory.newest(cached.get());
    var plan =
        plant.job(
            JobPlan.plan(
                job.value().spec().orElseThrow(),
                job.value().status(),
                observed(job, memory),
                memory.backOff(),
                plant.sight(memory.sight(sim.time())),
                sim.time()));
    next(new Pass(job, plan, memory, writes(plan)));
  }

  private List<JobPod> observed(Item<JobView> job, JobParts.Memory memory) {
    var seen = new ArrayList<JobPod>();
    for (var pod : podsOf(job.uid())) {
      var one = pod.value().job();
      seen.add(one.tracked() && memory.isUntracked(one.uid()) ? one.untracked() : one);
    }
    return seen;
  }

  /** One write of a plan. */
  private sealed interface Write {
    record Status(JobStatus status) implements Write {}

    record Create(JobPlan.NewPod pod) implements Write {}

    record Delete(JobPod pod) implements Write {}

    record Untrack(JobPod pod) implements Write {}
  }

  private static final class Pass {
    Item<JobView> job;
    final JobPlan plan;
    final JobParts.Memory memory;
    final List<Write> left;
    @Nullable Stored template;

    Pass(Item<JobView> job, JobPlan plan, JobParts.Memory memory, List<Write> left) {
      this.job = job;
      this.plan = plan;
      this.memory = memory;
      this.left = left;
    }
  }

  private static List<Write> writes(JobPlan plan) {
    var writes = new ArrayList<Write>();
    for (var effect : plan.effects()) {
      switch (effect) {
        case JobPlan.Effect.WriteStatus(var status) -> writes.add(new Write.Status(status));
        case JobPlan.Effect.CreatePods(var wanted) ->
            wanted.forEach(pod -> writes.add(new Write.Create(pod)));
        case JobPlan.Effect.DeletePods(var gone, var finalizer) -> {
          if (finalizer == JobPlan.Finalizer.UNTRACK) {
            gone.forEach(pod -> writes.add(new Write.Untrack(pod)));
          }
          gone.forEach(pod -> writes.add(new Write.Delete(pod)));
        }
        case JobPlan.Effect.RemoveFinalizers(var done) ->
            done.forEach(pod -> writes.add(new Write.Untrack(pod)));
      }
    }
    return writes;
  }

  private void next(Pass pass) {
    var key = pass.job.key();
    if (pass.left.isEmpty()) {
      pass.memory.keep(pass.plan.backOff());
      if (pass.job.value().status().finished()) {
        settled(key);
      } else {
        tryAgain(key, pass.plan.wakeUp());
      }
      return;
    }
    var write = pass.left.removeFirst();
    step(
        key,
        () -> {
          try {
            perform(pass, write);
          } catch (ApiError error) {
            if (!error.is(ApiError.Reason.CONFLICT)) {
              throw error;
            }
            if (plant.rereads()) {
              line.call(api -> api.get(Kind.JOB, key.name()))
                  .ifPresent(fresh -> pass.memory.wrote(fresh.item(SimJobSets.JOB)));
            }
            tryAgain(key, 5);
            return;
          }
          next(pass);
        });
  }

  private void perform(Pass pass, Write write) {
    var job = pass.job;
    switch (write) {
      case Write.Status(var status) -> {
        var patch =
            JobStatusWriter.patch(job.resourceVersion(), job.value().spec().orElseThrow(), status);
        sim.say(() -> "job " + job.key().name() + " writes " + Wire.text(patch.path("status")));
        var written = line.call(api -> api.patchStatus(Kind.JOB, job.key().name(), patch));
        pass.job = written.item(SimJobSets.JOB);
        pass.memory.wrote(pass.job);
      }
      case Write.Create(var wanted) -> create(pass, wanted);
      case Write.Delete(var pod) -> delete(pass, pod);
      case Write.Untrack(var pod) -> {
        line.call(api -> untrack(api, pod.name(), pod.uid()));
        pass.memory.untracked(pod.uid());
        var seen = seen(pod.name(), pod.uid());
        if (seen == null) {
          pass.memory.sawGone(pod.uid());
        } else if (!seen.job().tracked()) {
          pass.memory.saw(pod.uid(), seen);
        }
      }
    }
  }

  private void create(Pass pass, JobPlan.NewPod wanted) {
    if (pass.template == null) {
      pass.template = line.call(api -> api.get(Kind.JOB, pass.job.key().name())).orElse(null);
    }
    var template = pass.template;
    if (template == null || !template.uid().equals(pass.job.uid()) || template.deleting()) {
      return; // the Job is going or gone: no new pods
    }
    var pod = line.call(api -> api.create(Kind.POD, JobParts.pod(template.tree(), wanted)));
    sim.say(() -> "job makes " + pod.name());
    pass.memory.created(pod.uid(), sim.time());
    var seen = seen(pod.name(), pod.uid());
    if (seen != null) {
      pass.memory.saw(pod.uid(), seen);
    }
  }

  private void delete(Pass pass, JobPod pod) {
    sim.say(() -> "job deletes " + pod.name());
    pass.memory.deleted(pod.uid(), sim.time());
    try {
      line.call(api -> api.delete(Kind.POD, pod.name(), pod.uid(), VirtualApi.Deletion.GRACEFUL));
    } catch (ApiError error) {
      pass.memory.sawGone(pod.uid());
      if (!error.is(ApiError.Reason.CONFLICT)) {
        throw error;
      }
    }
    if (seen(pod.name(), pod.uid()) == null) {
      pass.memory.sawGone(pod.uid());
    }
  }

  private @Nullable ControlledPod seen(String name, String uid) {
    return pods.get(new ObjectKey(VirtualApi.NAMESPACE, name))
        .filter(one -> one.uid().equals(uid))
        .map(Item::value)
        .orElse(null);
  }

  private static boolean untrack(VirtualApi api, String name, String uid) {
    var pod = api.get(Kind.POD, name).filter(one -> one.uid().equals(uid));
    if (pod.isEmpty()) {
      return false;
    }
    var finalizers = VirtualApi.finalizers(pod.get().tree());
    if (!finalizers.remove(JobKeys.TRACKING)) {
      return false;
    }
    var patch = Wire.object();
    finalizers.forEach(patch.putObject("metadata").put("uid", uid).putArray("finalizers")::add);
    api.patch(Kind.POD, name, patch);
    return true;
  }
}
