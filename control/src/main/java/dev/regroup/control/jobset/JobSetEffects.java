package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.api.jobset.JobSetStatusWriter;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
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
import dev.regroup.control.job.JobView;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetPlan.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Performs the effects of one pass over a JobSet, in order; equal ones side by side. */
final class JobSetEffects {

  private static final DeleteOptions FOREGROUND =
      DeleteOptions.NONE.with(DeleteOptions.Propagation.FOREGROUND);

  private final ApiClient client;
  private final EventRecorder events;
  private final JobSetGates gates;
  private final JobSetPlace place;
  private final CrashPoint crashPoint;

  JobSetEffects(
      ApiClient client,
      EventRecorder events,
      JobSetGates gates,
      JobSetPlace place,
      CrashPoint crashPoint) {
    this.client = client;
    this.events = events;
    this.gates = gates;
    this.place = place;
    this.crashPoint = crashPoint;
  }

  void perform(Item<JobSetView> jobSet, List<Effect> effects)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    int from = 0;
    while (from < effects.size()) {
      int to = from;
      while (to < effects.size() && sameStep(effects.get(from), effects.get(to))) {
        to++;
      }
      SideBySide.each(
          effects.subList(from, to),
          effect -> {
            crashPoint.reach("before-" + point(effect));
            perform(jobSet, effect);
            crashPoint.reach("after-" + point(effect));
          });
      from = to;
    }
  }

  /** Jobs of one replicated job are made together; a failure stops before the next (JS-83). */
  private static boolean sameStep(Effect one, Effect other) {
    if (one instanceof Effect.CreateJob a && other instanceof Effect.CreateJob b) {
      return a.position() == b.position();
    }
    return one.getClass().equals(other.getClass());
  }

  private void perform(Item<JobSetView> jobSet, Effect effect)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var namespace = jobSet.key().namespace();
    switch (effect) {
      case Effect.DeleteJob(ChildJob job) -> delete(key(namespace, job), job.uid());
      case Effect.DeleteJobSet() ->
          client.delete(Kinds.JOB_SETS, jobSet.key(), FOREGROUND.onlyUid(jobSet.uid()));
      case Effect.CreateService(var network) -> {
        try {
          client.create(Kinds.SERVICES, namespace, ChildObjects.service(jobSet.value(), network));
        } catch (ApiFailure failure) {
          tolerate(jobSet, failure, "HeadlessServiceCreationFailed");
        }
      }
      case Effect.CreateClaim(String template) -> {
        try {
          client.create(Kinds.CLAIMS, namespace, ChildObjects.claim(jobSet.value(), template));
        } catch (ApiFailure failure) {
          tolerate(jobSet, failure, "PVCCreationFailed");
        }
      }
      case Effect.CreateJob wanted -> createJob(jobSet, wanted);
      case Effect.ScaleJob(ChildJob job, int size) ->
          client.mergePatch(
              Kinds.JOBS,
              key(namespace, job),
              "{\"spec\":{\"parallelism\":%d,\"completions\":%d}}".formatted(size, size));
      case Effect.SuspendJob(ChildJob job) ->
          client.mergePatch(Kinds.JOBS, key(namespace, job), "{\"spec\":{\"suspend\":true}}");
      case Effect.ResumeJob(ChildJob job, int position) -> resume(jobSet, job, position);
    }
  }

  private static ObjectKey key(String namespace, ChildJob job) {
    return new ObjectKey(namespace, job.name());
  }

  private void delete(ObjectKey key, String uid)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      client.delete(Kinds.JOBS, key, FOREGROUND.onlyUid(uid));
    } catch (ApiFailure failure) {
      if (!failure.conflict()) { // a Job of the same name has taken its place
        throw failure;
      }
    }
  }

  private void tolerate(Item<JobSetView> jobSet, ApiFailure failure, String reason)
      throws ApiFailure {
    if (failure.alreadyExists()) {
      return;
    }
    events.warning(JobSetController.about(jobSet), reason, "" + failure.getMessage());
    throw failure;
  }

  private void createJob(Item<JobSetView> jobSet, Effect.CreateJob wanted)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var job = ChildObjects.job(jobSet.value(), gates, place.agents().get(), wanted);
    ensureAccount(jobSet, job);
    try {
      client.create(Kinds.JOBS, jobSet.key().namespace(), job);
    } catch (ApiFailure failure) {
      if (failure.alreadyExists() && isOurs(jobSet, wanted.name())) {
        return; // the cache has not shown it yet
      }
      events.warning(
          JobSetController.about(jobSet),
          "JobCreationFailed",
          "job \"%s\" creation failed with error: %s"
              .formatted(wanted.name(), failure.getMessage()));
      throw failure;
    }
  }

  /** Without its account no pod of the Job can be made; whoever must make it is told. */
  private void ensureAccount(Item<JobSetView> jobSet, ObjectNode job)
      throws Transport.Unreachable, InterruptedException {
    var account = AgentInjection.account(job);
    if (account.isEmpty()) {
      return;
    }
    try {
      place.accounts().ensure(jobSet.key().namespace(), account.get());
    } catch (ApiFailure failure) {
      events.warning(
          JobSetController.about(jobSet),
          "AgentAccountMissing",
          "service account %s cannot be made: %s (regroup install --namespace-agents %s makes it)"
              .formatted(account.get(), failure.getMessage(), jobSet.key().namespace()));
    }
  }

  /** A child Job as it is stored now (JS-160b). */
  Optional<Item<JobView>> read(String namespace, String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key = new ObjectKey(namespace, name);
    return client
        .get(Kinds.JOBS, key)
        .map(job ->
            new Item<>(
                key,
                Trees.text(job, "metadata", "uid"),
                Trees.text(job, "metadata", "resourceVersion"),
                JobView.read(job)));
  }

  private boolean isOurs(Item<JobSetView> jobSet, String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    return client
        .get(Kinds.JOBS, new ObjectKey(jobSet.key().namespace(), name))
        .flatMap(Owner::controller)
        .filter(owner -> owner.uid().equals(jobSet.uid()))
        .isPresent();
  }

  /** JS-93: first the start time, then template and suspend in one update. */
  private void resume(Item<JobSetView> jobSet, ChildJob job, int position)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key = key(jobSet.key().namespace(), job);
    if (job.started()) {
      client.mergePatchStatus(Kinds.JOBS, key, "{\"status\":{\"startTime\":null}}");
    }
    var fresh = client.get(Kinds.JOBS, key);
    if (fresh.isEmpty()) {
      return;
    }
    var entry = jobSet.value().tree().path("spec").path("replicatedJobs").get(position);
    ChildObjects.refresh(fresh.get(), entry.path("template"));
    client.update(Kinds.JOBS, key, fresh.get());
  }

  /** Tells what the status that is about to be written no longer asks for. */
  void tellOnce(Item<JobSetView> jobSet, List<JobSetPlan.Note> notes)
      throws Transport.Unreachable, InterruptedException {
    for (var note : notes) {
      if (note.once()) {
        crashPoint.reach("before-tell-once");
        events.once(
            JobSetController.about(jobSet),
            note.warning() ? EventRecorder.Type.WARNING : EventRecorder.Type.NORMAL,
            note.reason(),
            note.message(),
            note.id());
        crashPoint.reach("after-tell-once");
      }
    }
  }

  /** Writes the status from the state it was made from; a conflict is an {@link ApiFailure}. */
  Item<JobSetView> write(Item<JobSetView> jobSet, JobSetPlan plan)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var fields =
        jobSet.value().spec().inPlace() && gates.inPlaceRestart()
            ? JobSetStatusWriter.GroupFields.WRITE
            : JobSetStatusWriter.GroupFields.LEAVE_OUT;
    var patch = JobSetStatusWriter.patch(jobSet.resourceVersion(), plan.status(), fields);
    crashPoint.reach("before-" + point(jobSet, plan));
    var written = client.mergePatchStatus(Kinds.JOB_SETS, jobSet.key(), Wire.text(patch));
    crashPoint.reach("after-" + point(jobSet, plan));
    return JobSetController.item(jobSet.key(), written);
  }

  /** The name of the effect's crash points. */
  private static String point(Effect effect) {
    return switch (effect) {
      case Effect.DeleteJob _ -> "delete-job";
      case Effect.DeleteJobSet _ -> "delete-jobset";
      case Effect.CreateService _ -> "create-service";
      case Effect.CreateClaim _ -> "create-claim";
      case Effect.CreateJob _ -> "create-job";
      case Effect.ScaleJob _ -> "scale-job";
      case Effect.SuspendJob _ -> "suspend-job";
      case Effect.ResumeJob _ -> "resume-job";
    };
  }

  /** The two orders of a group restart have crash points of their own. */
  private static String point(Item<JobSetView> jobSet, JobSetPlan plan) {
    var before = jobSet.value().status().group().barrier();
    var after = plan.status().group().barrier();
    if (!after.current().equals(before.current())) {
      return "lift";
    }
    return after.previous().equals(before.previous()) ? "write-jobset-status" : "order";
  }

  /** Claims that this JobSet's effects make, by template. */
  static List<String> claims(List<Effect> effects) {
    var claims = new ArrayList<String>();
    for (var effect : effects) {
      if (effect instanceof Effect.CreateClaim(String template)) {
        claims.add(template);
      }
    }
    return claims;
  }
}
