package dev.regroup.control.roles;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Fills the rules of cluster roles with an {@code aggregationRule}. When any role changes all of
 * those are looked at again: they are few, and one may be made of another.
 */
public final class RoleAggregation implements AutoCloseable {

  /**
   * A role.
   *
   * @param selectors empty when its rules are its own
   */
  private record Role(Map<String, String> labels, JsonNode rules, List<ObjectNode> selectors) {

    static Role of(ObjectNode object) {
      return new Role(
          Trees.map(object, "metadata", "labels"),
          object.path("rules").deepCopy(),
          Trees.objects(object, "aggregationRule", "clusterRoleSelectors").stream()
              .map(ObjectNode::deepCopy)
              .toList());
    }
  }

  private final ApiClient client;
  private final Informer<Role> roles;
  private final WorkQueue<String> queue;

  public RoleAggregation(SharedFeeds feeds, Transport transport) {
    this.client = new ApiClient(transport);
    this.roles = feeds.informer(Kinds.CLUSTER_ROLES, Role::of);
    this.queue =
        feeds.<String>loop("cluster-roles", 1).hears(roles, _ -> lookAtAll()).run(this::handle);
  }

  private void lookAtAll() {
    for (var role : roles.all()) {
      if (!role.value().selectors().isEmpty()) {
        queue.add(role.key().name());
      }
    }
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome handle(String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var role = roles.get(ObjectKey.cluster(name));
    if (role.isEmpty() || role.get().value().selectors().isEmpty()) {
      return Outcome.settled();
    }
    var rules = rules(role.get());
    if (!Trees.same(rules, role.get().value().rules())) {
      var patch = Wire.object();
      patch.set("rules", rules);
      try {
        client.mergePatch(Kinds.CLUSTER_ROLES, role.get().key(), Wire.text(patch));
      } catch (ApiFailure failure) {
        if (!failure.notFound()) {
          throw failure;
        }
      }
    }
    return Outcome.settled();
  }

  /** The rules of all chosen roles, selector by selector, in the order of names, each once. */
  private ArrayNode rules(Item<Role> made) {
    var rules = new LinkedHashSet<JsonNode>();
    for (var selector : made.value().selectors()) {
      for (var role : roles.all()) {
        boolean chosen =
            !role.key().equals(made.key()) && Selectors.matches(selector, role.value().labels());
        if (chosen) {
          role.value().rules().forEach(rules::add);
        }
      }
    }
    var list = Wire.object().putArray("rules");
    rules.forEach(rule -> list.add(rule.deepCopy()));
    return list;
  }
}
