package dev.regroup.node.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.jobset.Rendezvous;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.rules.pod.GroupOrders;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * Follows JobSets, keeping only what the agent of a pod needs: the signals (JS-153) and the sizes
 * for the rendezvous (JS-168). A changed signal is passed on to whoever holds pods of that JobSet.
 */
public final class JobSetGroups implements Groups, AutoCloseable {

  private static final Resource<ObjectNode> JOB_SETS =
      Resource.namespaced("jobset.x-k8s.io", "v1alpha2", "jobsets", Codec.TREE);
  private static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

  /** What is kept of one JobSet. */
  record Group(String uid, GroupOrders signals, Rendezvous rendezvous) {}

  private final ApiClient client;
  private final Informer<Group> informer;

  /**
   * Starts to follow.
   *
   * @param onSignal told namespace and name of a JobSet that says something new; must be quick
   */
  public JobSetGroups(
      Transport transport, RandomGenerator random, BiConsumer<String, String> onSignal) {
    this.client = new ApiClient(transport);
    this.informer =
        new Informer<>(transport, JOB_SETS, ListQuery.ALL, JobSetGroups::read, random)
            .listen(delta -> {
              var old = delta.old().map(item -> item.value().signals());
              var now = delta.now().map(item -> item.value().signals());
              if (!old.equals(now)) {
                onSignal.accept(delta.key().namespace(), delta.key().name());
              }
            })
            .start();
  }

  @Override
  public GroupOrders signals(Pod pod) {
    return group(pod).map(Group::signals).orElse(GroupOrders.UNKNOWN);
  }

  @Override
  public Map<String, String> rendezvous(Pod pod) throws ConfigFailure, InterruptedException {
    var annotations = pod.getMetadata().getAnnotations();
    var labels = pod.getMetadata().getLabels();
    var index = annotations == null ? null : annotations.get(COMPLETION_INDEX);
    var job = labels == null ? null : labels.get(JobSetKeys.JOB_GLOBAL_INDEX);
    if (index == null || job == null) {
      return Map.of();
    }
    var coordinator = labels.getOrDefault(JobSetKeys.COORDINATOR, "");
    var known = group(pod);
    return (known.isPresent() ? known : stored(pod))
        .map(group -> group.rendezvous().variables(number(job), number(index), coordinator))
        .orElse(Map.of());
  }

  /** The watch may not have shown the JobSet yet, or it is gone while its pods end. */
  private java.util.Optional<Group> stored(Pod pod) throws ConfigFailure, InterruptedException {
    var name = pod.getMetadata().getLabels().get(JobSetKeys.JOBSET_NAME);
    if (name == null) {
      return java.util.Optional.empty();
    }
    try {
      return client
          .get(JOB_SETS, new ObjectKey(pod.getMetadata().getNamespace(), name))
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

  private java.util.Optional<Group> group(Pod pod) {
    var labels = pod.getMetadata().getLabels();
    var name = labels == null ? null : labels.get(JobSetKeys.JOBSET_NAME);
    if (name == null) {
      return java.util.Optional.empty();
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
    return new Group(
        jobSet.path("metadata").path("uid").asText(""), signals(jobSet), Rendezvous.read(jobSet));
  }

  private static GroupOrders signals(JsonNode jobSet) {
    boolean disabled =
        jobSet.path("metadata").path("annotations").has(JobSetKeys.DISABLE_IN_PLACE_RESTART);
    var strategy = jobSet.path("spec").path("failurePolicy").path("restartStrategy").asText("");
    if (disabled || !strategy.equals("InPlaceRestart")) {
      return new GroupOrders(
          GroupOrders.Knowledge.BYPASS, OptionalInt.empty(), OptionalInt.empty());
    }
    var status = jobSet.path("status");
    var current = released(status.path("currentInPlaceRestartAttempt"));
    var previous = released(status.path("previousInPlaceRestartAttempt"));
    if (current.isPresent() || previous.isPresent()) {
      return GroupOrders.of(current, previous);
    }
    return GroupOrders.of(draft(status.path("syncedEpoch")), draft(status.path("deprecatedEpoch")));
  }

  private static OptionalInt released(JsonNode field) {
    return field.isInt() ? OptionalInt.of(field.asInt()) : OptionalInt.empty();
  }

  /** The draft counts from 1 and means "nothing yet" by 0 (JS-150). */
  private static OptionalInt draft(JsonNode field) {
    int epoch = field.asInt(0);
    return epoch > 0 ? OptionalInt.of(epoch - 1) : OptionalInt.empty();
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
