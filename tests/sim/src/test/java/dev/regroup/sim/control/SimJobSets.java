package dev.regroup.sim.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetStatusWriter;
import dev.regroup.api.tree.Owner;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.jobset.JobSetParts;
import dev.regroup.control.jobset.JobSetView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodReader;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.Wake;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetPlan.Effect;
import dev.regroup.sim.Plant;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError;
import dev.regroup.sim.api.Feed;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Line;
import dev.regroup.sim.api.Stored;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.api.Weather;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The JobSet controller: one pass after the other as {@code control.jobset} makes them. */
public final class SimJobSets extends SimController {

  public static final Function<ObjectNode, JobSetView> JOB_SET = JobSetView::read;
  public static final Function<ObjectNode, JobView> JOB = JobView::read;
  static final Function<ObjectNode, ControlledPod> POD =
      new PodReader(Set.of(RuleGate.values()))::read;
  private static final Function<ObjectNode, Boolean> UNREACHABLE =
      node -> {
        for (var condition : node.path("status").path("conditions")) {
          if (condition.path("type").asText().equals("Ready")) {
            return condition.path("status").asText().equals("Unknown");
          }
        }
        return false;
      };
  private static final long LAZY = 5_000;

  /** What is remembered of one JobSet. */
  private static final class Memory {
    final JobSetParts.Group group;
    Optional<Item<JobSetView>> written = Optional.empty();
    Instant lastWrite = Instant.MIN;

    Memory(JobSetParts.Group group) {
      this.group = group;
    }
  }

  private final Plant plant;
  private final Feed<JobSetView> jobSets;
  private final Feed<JobView> jobs;
  private final Feed<ControlledPod> pods;
  private final Feed<Boolean> nodes;
  private final Map<String, Memory> memories = new HashMap<>();

  public SimJobSets(Simulation sim, Line line, Weather weather, Plant plant) {
    super(sim, line, weather, "jobset controller", 5);
    this.plant = plant;
    this.jobSets =
        new Feed<>(line, Kind.JOB_SET, _ -> true, one -> one.as(JOB_SET), this::jobSetChanged);
    this.jobs = new Feed<>(line, Kind.JOB, _ -> true, one -> one.as(JOB), this::jobChanged);
    this.pods =
        new Feed<>(
            line,
            Kind.POD,
            _ -> true,
            one -> pod(one, plant.podOfGroup(one.tree())),
            this::podChanged);
    this.nodes =
        new Feed<>(line, Kind.NODE, _ -> true, one -> one.as(UNREACHABLE), this::nodeChanged);
  }

  /** A pod as a mistake may show it; as it is, it is read once for everybody. */
  static ControlledPod pod(Stored pod, ObjectNode shown) {
    return shown == pod.tree() ? pod.as(POD) : POD.apply(shown);
  }

  @Override
  void openFeeds() {
    nodes.start();
    pods.start();
    jobs.start();
    jobSets.start();
  }

  @Override
  void forget() {
    nodes.stop();
    pods.stop();
    jobs.stop();
    jobSets.stop();
    memories.clear();
  }

  private void jobSetChanged(Delta<JobSetView> delta) {
    if (delta instanceof Delta.Removed<JobSetView>(var gone)) {
      memories.remove(gone.uid());
    } else {
      add(delta.key());
    }
  }

  private void jobChanged(Delta<JobView> delta) {
    delta
        .now()
        .or(delta::old)
        .orElseThrow()
        .value()
        .controller()
        .filter(one -> one.kind().equals("JobSet"))
        .ifPresent(one -> add(new ObjectKey(delta.key().namespace(), one.name())));
  }

  private void podChanged(Delta<ControlledPod> delta) {
    var view = delta.now().or(delta::old).orElseThrow().value();
    if (view.group().isEmpty() || !plant.hears(delta)) {
      return;
    }
    var key = new ObjectKey(delta.key().namespace(), view.group().get().jobSet());
    var memory = jobSets.get(key).map(one -> memories.get(one.uid()));
    if (memory.isEmpty()) {
      return;
    }
    var news =
        switch (delta) {
          case Delta.Removed<ControlledPod>(var gone) -> memory.get().group.gone(gone);
          case Delta.Added<ControlledPod>(var pod) -> memory.get().group.changed(pod);
          case Delta.Updated<ControlledPod>(_, var pod) -> memory.get().group.changed(pod);
        };
    if (news != Wake.NO) {
      add(key);
    }
  }

  private void nodeChanged(Delta<Boolean> delta) {
    pods.find(pod -> pod.value().node().equals(delta.key().name()))
        .forEach(pod -> podChanged(new Delta.Updated<>(pod, pod)));
  }

  private List<Item<ControlledPod>> podsOf(String uid) {
    return pods.find(one -> isOwner(one.value().controller(), uid));
  }

  static boolean isOwner(Optional<Owner> owner, String uid) {
    return owner.filter(one -> one.uid().equals(uid)).isPresent();
  }

  private boolean unreachable(String node) {
    return !node.isEmpty() && nodes.get(ObjectKey.cluster(node)).map(Item::value).orElse(false);
  }

  // ---- a pass ----------------------------------------------------------------------------------

  @Override
  void look(ObjectKey key) {
    if (!jobSets.synced() || !jobs.synced() || !pods.synced()) {
      tryAgain(key, 20);
      return;
    }
    var cached = jobSets.get(key);
    if (cached.isEmpty()) {
      settled(key);
      return;
    }
    var memory =
        memories.computeIfAbsent(
            cached.get().uid(),
            _ -> new Memory(new JobSetParts.Group(this::podsOf, this::unreachable, sim::time)));
    var jobSet = newest(cached.get(), memory);
    if (jobSet.value().deleting()) {
      settled(key);
      return;
    }
    var owned = jobs.find(job -> isOwner(job.value().controller(), jobSet.uid()));
    var children = owned.stream().map(job -> plant.child(job.value().child())).toList();
    follow(jobSet, owned, children, memory);
    ask(jobSet, children, memory, new HashSet<>());
  }

  private static void follow(
      Item<JobSetView> jobSet, List<Item<JobView>> owned, List<ChildJob> children, Memory memory) {
    var spec = jobSet.value().spec();
    var status = jobSet.value().status();
    Set<String> counting = new HashSet<>();
    JobSetPlan.generation(spec, status, JobSetGates.ALL, children)
        .forEach(child -> counting.add(child.uid()));
    memory.group.follow(
        owned.stream().filter(job -> counting.contains(job.uid())).toList(),
        JobSetPlan.roster(spec, status, JobSetGates.ALL, children),
        status);
  }

  private void ask(
      Item<JobSetView> jobSet, List<ChildJob> children, Memory memory, Set<String> confirmed) {
    if (!plant.asks()) {
      children.forEach(child -> confirmed.add(child.name()));
    }
    var group = plant.group(memory.group.snapshot(jobSet.value(), confirmed));
    var plan =
        plant.jobSet(
            JobSetPlan.plan(
                jobSet.value().spec(),
                jobSet.value().status(),
                JobSetGates.ALL,
                children,
                new JobSetPlan.World(true, Set.of()),
                Optional.of(group),
                (pattern, text) -> text.contains(pattern),
                sim.time()));
    if (plan.question().isEmpty()) {
      perform(jobSet, plan, new ArrayList<>(plan.effects()), memory);
      return;
    }
    var job = plan.question().get().job();
    step(
        jobSet.key(),
        () -> {
          line.call(api -> api.get(Kind.JOB, job))
              .ifPresent(found -> memory.group.learn(found.item(JOB)));
          confirmed.add(job);
          ask(jobSet, children, memory, confirmed);
        });
  }

  private void perform(Item<JobSetView> jobSet, JobSetPlan plan, List<Effect> left, Memory memory) {
    if (left.isEmpty()) {
      write(jobSet, plan, memory);
      return;
    }
    var effect = left.removeFirst();
    step(
        jobSet.key(),
        () -> {
          sim.say(() -> "jobset does " + name(effect));
          line.call(api -> perform(api, jobSet, effect));
          perform(jobSet, plan, left, memory);
        });
  }

  private static String name(Effect effect) {
    return switch (effect) {
      case Effect.CreateJob wanted -> "create " + wanted.name();
      case Effect.DeleteJob(var job) -> "delete " + job.name();
      case Effect.SuspendJob(var job) -> "suspend " + job.name();
      case Effect.ResumeJob(var job, _) -> "resume " + job.name();
      case Effect.ScaleJob(var job, _) -> "scale " + job.name();
      case Effect.DeleteJobSet _, Effect.CreateService _, Effect.CreateClaim _ -> "something else";
    };
  }

  private static boolean perform(VirtualApi api, Item<JobSetView> jobSet, Effect effect) {
    switch (effect) {
      case Effect.CreateJob wanted -> create(api, jobSet, wanted);
      case Effect.DeleteJob(var job) -> {
        try {
          api.delete(Kind.JOB, job.name(), job.uid(), VirtualApi.Deletion.FOREGROUND);
        } catch (ApiError error) {
          if (!error.is(ApiError.Reason.CONFLICT)) {
            throw error;
          }
        }
      }
      case Effect.SuspendJob(var job) ->
          api.patch(Kind.JOB, job.name(), Wire.tree("{\"spec\":{\"suspend\":true}}"));
      case Effect.ResumeJob(var job, _) -> {
        if (job.started()) {
          api.patchStatus(Kind.JOB, job.name(), Wire.tree("{\"status\":{\"startTime\":null}}"));
        }
        api.patch(Kind.JOB, job.name(), Wire.tree("{\"spec\":{\"suspend\":false}}"));
      }
      case Effect.ScaleJob(var job, int size) ->
          api.patch(
              Kind.JOB,
              job.name(),
              Wire.tree(
                  "{\"spec\":{\"parallelism\":%d,\"completions\":%d}}".formatted(size, size)));
      case Effect.DeleteJobSet _ ->
          api.delete(
              Kind.JOB_SET, jobSet.key().name(), jobSet.uid(), VirtualApi.Deletion.FOREGROUND);
      case Effect.CreateService _, Effect.CreateClaim _ ->
          throw new IllegalStateException("no world asks for " + effect);
    }
    return true;
  }

  private static void create(VirtualApi api, Item<JobSetView> jobSet, Effect.CreateJob wanted) {
    try {
      api.create(Kind.JOB, JobSetParts.job(jobSet.value(), wanted));
    } catch (ApiError error) {
      boolean ours =
          error.is(ApiError.Reason.ALREADY_EXISTS)
              && api.get(Kind.JOB, wanted.name())
                  .flatMap(job -> Owner.controller(job.tree()))
                  .filter(owner -> owner.uid().equals(jobSet.uid()))
                  .isPresent();
      if (!ours) {
        throw error;
      }
    }
  }

  private void write(Item<JobSetView> jobSet, JobSetPlan plan, Memory memory) {
    boolean wait =
        plan.write() == JobSetPlan.Write.LAZY
            && memory.lastWrite.plusMillis(LAZY).isAfter(sim.time());
    if (wait) {
      var due = memory.lastWrite.plusMillis(LAZY);
      tryAgain(jobSet.key(), Duration.between(sim.time(), due).toMillis());
      return;
    }
    if (plan.write() == JobSetPlan.Write.NOTHING) {
      tryAgain(jobSet.key(), plan.wakeUp());
      return;
    }
    var patch =
        plant.status(
            JobSetStatusWriter.patch(
                jobSet.resourceVersion(), plan.status(), JobSetStatusWriter.GroupFields.WRITE));
    step(jobSet.key(), () -> write(jobSet, plan, patch, memory));
  }

  private void write(Item<JobSetView> jobSet, JobSetPlan plan, ObjectNode patch, Memory memory) {
    var key = jobSet.key();
    try {
      var written = line.call(api -> api.patchStatus(Kind.JOB_SET, key.name(), patch));
      memory.written = Optional.of(written.item(JOB_SET));
      memory.lastWrite = sim.time();
    } catch (ApiError error) {
      if (!error.is(ApiError.Reason.CONFLICT)) {
        throw error;
      }
      sim.say(() -> "jobset controller: conflict");
      if (plant.rereads()) {
        memory.written = line.call(api -> api.get(Kind.JOB_SET, key.name())).map(SimJobSets::item);
      }
      tryAgain(key, 0);
      return;
    }
    if (plan.write() == JobSetPlan.Write.ORDER) {
      add(key);
    }
    tryAgain(key, plan.wakeUp());
  }

  private static Item<JobSetView> item(Stored stored) {
    return stored.item(JOB_SET);
  }

  private static Item<JobSetView> newest(Item<JobSetView> cached, Memory memory) {
    return memory
        .written
        .filter(own -> own.uid().equals(cached.uid()) && version(own) > version(cached))
        .orElse(cached);
  }

  private static long version(Item<?> item) {
    return Long.parseLong(item.resourceVersion());
  }
}
