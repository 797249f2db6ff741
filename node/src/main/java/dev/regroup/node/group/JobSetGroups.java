package dev.regroup.node.group;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.jobset.Rendezvous;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.rules.group.GroupOrders;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * Follows JobSets, keeping only what the agent of a pod needs: the orders (JS-153) and the sizes
 * for the rendezvous (JS-168). A new order is passed on to whoever holds pods of that JobSet.
 */
public final class JobSetGroups implements Groups {

  /** What is kept of one JobSet. */
  record Group(String uid, GroupOrders orders, Rendezvous rendezvous) {}

  private final ApiClient client;
  private final Informer<Group> informer;

  /**
   * Starts to follow.
   *
   * @param onOrder told namespace and name of a JobSet that says something new; must be quick
   */
  public JobSetGroups(
      Transport transport, RandomGenerator random, BiConsumer<String, String> onOrder) {
    this.client = new ApiClient(transport);
    this.informer =
        new Informer<>(transport, Kinds.JOB_SETS, ListQuery.ALL, JobSetGroups::read, random)
            .listen(delta -> {
              var old = delta.old().map(item -> item.value().orders());
              var now = delta.now().map(item -> item.value().orders());
              if (!old.equals(now)) {
                onOrder.accept(delta.key().namespace(), delta.key().name());
              }
            })
            .start();
  }

  @Override
  public GroupOrders orders(Pod pod) {
    return group(pod).map(Group::orders).orElse(GroupOrders.UNKNOWN);
  }

  @Override
  public Map<String, String> rendezvous(Pod pod) throws ConfigFailure, InterruptedException {
    var annotations = pod.getMetadata().getAnnotations();
    var labels = pod.getMetadata().getLabels();
    var index = annotations == null ? null : annotations.get(JobKeys.COMPLETION_INDEX);
    var job = labels == null ? null : labels.get(JobSetKeys.JOB_GLOBAL_INDEX);
    if (index == null || job == null) {
      return Map.of();
    }
    var coordinator = labels.getOrDefault(JobSetKeys.COORDINATOR, "");
    var known = group(pod);
    return (known.isPresent() ? known : stored(pod))
        .map(group ->
            group
                .rendezvous()
                .variables(
                    Trees.decimal(job).orElse(0), Trees.decimal(index).orElse(0), coordinator))
        .orElse(Map.of());
  }

  /** The watch may not have shown the JobSet yet, or it is gone while its pods end. */
  private Optional<Group> stored(Pod pod) throws ConfigFailure, InterruptedException {
    var name = pod.getMetadata().getLabels().get(JobSetKeys.JOBSET_NAME);
    if (name == null) {
      return Optional.empty();
    }
    try {
      return client
          .get(Kinds.JOB_SETS, new ObjectKey(pod.getMetadata().getNamespace(), name))
          .map(JobSetGroups::read)
          .filter(group -> isOf(pod, group));
    } catch (ApiFailure | Transport.Unreachable e) {
      throw new ConfigFailure("jobset %s: cannot be read: %s".formatted(name, e.getMessage()));
    }
  }

  @Override
  public void close() {
    informer.close();
  }

  private Optional<Group> group(Pod pod) {
    var labels = pod.getMetadata().getLabels();
    var name = labels == null ? null : labels.get(JobSetKeys.JOBSET_NAME);
    if (name == null) {
      return Optional.empty();
    }
    return informer
        .get(new ObjectKey(pod.getMetadata().getNamespace(), name))
        .map(item -> item.value())
        .filter(group -> isOf(pod, group));
  }

  /** Not of an older namesake. */
  private static boolean isOf(Pod pod, Group group) {
    var uid = pod.getMetadata().getLabels().getOrDefault(JobSetKeys.JOBSET_UID, "");
    return uid.isEmpty() || uid.equals(group.uid());
  }

  static Group read(JsonNode jobSet) {
    var spec = JobSetReader.spec(jobSet);
    return new Group(spec.uid(), JobSetReader.orders(jobSet), Rendezvous.of(spec));
  }
}
