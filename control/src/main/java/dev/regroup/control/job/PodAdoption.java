package dev.regroup.control.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Item;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import java.util.stream.Collectors;

/**
 * Which pods belong to a Job (JB-43): takes over pods that match and have no controller, lets go of
 * those that do not match any more. A Job is planned only when nothing of that is open and the
 * cache shows the result: otherwise a pod would be made in place of the one just taken over.
 */
final class PodAdoption {
  private static final String GENERATED = "batch.kubernetes.io/controller-uid";

  private final ApiClient client;
  private final PodFeed pods;

  PodAdoption(ApiClient client, PodFeed pods) {
    this.client = client;
    this.pods = pods;
  }

  /** Whether the Job's pods are its own and known; if not, what is missing has been begun. */
  boolean settled(Item<JobView> job)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (job.value().deleting()) {
      return true;
    }
    try {
      return !adopt(job) && !release(job) && knowsAll(job);
    } catch (ApiFailure failure) {
      if (failure.conflict()) {
        return false; // somebody changed the pod, perhaps this controller a moment ago
      }
      throw failure;
    }
  }

  static boolean matches(JobView job, ControlledPod pod) {
    return !job.selector().isEmpty()
        && pod.labels().entrySet().containsAll(job.selector().entrySet());
  }

  private boolean adopt(Item<JobView> job)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    boolean any = false;
    for (var pod : pods.orphans(job.key().namespace())) {
      if (!matches(job.value(), pod.value()) || pod.value().job().terminating()) {
        continue;
      }
      var fresh = client.get(Kinds.JOBS, job.key());
      boolean alive =
          fresh.isPresent()
              && fresh.get().path("metadata").path("uid").asText("").equals(job.uid())
              && !fresh.get().path("metadata").hasNonNull("deletionTimestamp");
      if (alive) {
        own(job, pod);
        any = true;
      }
    }
    return any;
  }

  private boolean release(Item<JobView> job)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    boolean any = false;
    for (var pod : pods.controlledBy(job.uid())) {
      if (!matches(job.value(), pod.value())) {
        disown(job, pod);
        any = true;
      }
    }
    return any;
  }

  /**
   * Whether the cache has every pod that was there before the Job. Only a new Job with a selector
   * of its user can meet such pods; the events of Jobs and pods come on two ways, so it asks.
   */
  private boolean knowsAll(Item<JobView> job)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var view = job.value();
    boolean chosen = !view.selector().isEmpty() && !view.selector().containsKey(GENERATED);
    if (!chosen || view.status().startTime() != null) {
      return true;
    }
    var selector =
        view.selector().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(","));
    var namespace = job.key().namespace();
    return client.list(Kinds.PODS, ListQuery.in(namespace).withLabels(selector)).items().stream()
        .allMatch(pod -> pods.get(key(namespace, pod)).isPresent());
  }

  private static ObjectKey key(String namespace, ObjectNode pod) {
    return new ObjectKey(namespace, Trees.text(pod, "metadata", "name"));
  }

  private void own(Item<JobView> job, Item<ControlledPod> pod)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var patch = Wire.object();
    var metadata = patch.putObject("metadata").put("uid", pod.uid());
    metadata.put("resourceVersion", pod.resourceVersion());
    metadata
        .putArray("ownerReferences")
        .add(new Owner("batch/v1", "Job", job.key().name(), job.uid()).reference());
    var finalizers = metadata.putArray("finalizers");
    pod.value().finalizers().forEach(finalizers::add);
    finalizers.add(JobKeys.TRACKING);
    client.mergePatch(Kinds.PODS, pod.key(), Wire.text(patch));
  }

  private void disown(Item<JobView> job, Item<ControlledPod> pod)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var fresh = client.get(Kinds.PODS, pod.key());
    if (fresh.isEmpty() || !fresh.get().path("metadata").path("uid").asText().equals(pod.uid())) {
      return;
    }
    var patch = Wire.object();
    var metadata = patch.putObject("metadata").put("uid", pod.uid());
    metadata.put("resourceVersion", fresh.get().path("metadata").path("resourceVersion").asText());
    var owners = metadata.putArray("ownerReferences");
    for (var owner : fresh.get().path("metadata").path("ownerReferences")) {
      if (!owner.path("uid").asText("").equals(job.uid())) {
        owners.add(owner);
      }
    }
    var finalizers = metadata.putArray("finalizers");
    pod.value().finalizers().forEach(finalizers::add);
    client.mergePatch(Kinds.PODS, pod.key(), Wire.text(patch));
  }
}
