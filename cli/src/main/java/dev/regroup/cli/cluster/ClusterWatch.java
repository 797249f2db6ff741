package dev.regroup.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.metric.Metrics;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What every replica keeps of the cluster, leader or not, because admission needs it: the nodes'
 * abilities, and those pods that others follow to their place (the first of each Job, JS-91).
 */
final class ClusterWatch implements AutoCloseable {

  private static final String NAMESPACE = "namespace";

  private final SharedFeeds feeds;
  private final Informer<NodeAbility> nodes;
  private final Informer<ObjectNode> leaders;

  ClusterWatch(Transport transport, RandomGenerator random, Metrics metrics) {
    this.feeds =
        new SharedFeeds(transport, random, metrics)
            .narrow(
                Kinds.PODS,
                ListQuery.ALL.withLabels(
                    JobSetKeys.JOBSET_NAME + "," + JobKeys.COMPLETION_INDEX + "=0"));
    this.nodes = feeds.informer(Kinds.NODES, NodeAbility::of);
    this.leaders =
        feeds
            .informer(Kinds.PODS, ClusterWatch::leader)
            .index(NAMESPACE, pod -> Set.of(pod.key().namespace()));
    feeds.start();
  }

  boolean synced() {
    return feeds.synced();
  }

  void awaitSynced() throws InterruptedException {
    nodes.awaitSynced();
    leaders.awaitSynced();
  }

  ClusterAbilities abilities(String server) {
    return ClusterAbilities.of(server, nodes.all().stream().map(Item::value).toList());
  }

  /** Pods of a namespace that lead, with names that begin so. */
  List<ObjectNode> leaders(String namespace, String prefix) {
    return leaders.find(NAMESPACE, namespace).stream()
        .filter(pod -> pod.key().name().startsWith(prefix))
        .map(Item::value)
        .toList();
  }

  /** Only what placement looks at. */
  private static ObjectNode leader(ObjectNode pod) {
    var slim = Wire.object();
    var metadata = slim.putObject("metadata");
    for (String field : List.of("name", "namespace", "deletionTimestamp", "ownerReferences")) {
      JsonNode value = Trees.at(pod, "metadata", field);
      if (!value.isMissingNode()) {
        metadata.set(field, value.deepCopy());
      }
    }
    slim.putObject("spec").put("nodeName", Trees.text(pod, "spec", "nodeName"));
    slim.putObject("status").put("phase", Trees.text(pod, "status", "phase"));
    return slim;
  }

  @Override
  public void close() {
    feeds.close();
  }
}
