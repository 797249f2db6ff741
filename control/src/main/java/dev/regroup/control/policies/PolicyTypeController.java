package dev.regroup.control.policies;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.policy.PolicyTypes;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import java.util.Optional;

/**
 * Writes into the status of a policy what the compiler says to its expressions when it knows the
 * kinds they are about. Each generation is looked at once.
 */
public final class PolicyTypeController implements AutoCloseable {
  private final ApiClient client;
  private final PolicyTypes types;
  private final Informer<ObjectNode> policies;
  private final WorkQueue<ObjectKey> queue;

  public PolicyTypeController(SharedFeeds feeds, Transport transport, PolicyTypes types) {
    this.client = new ApiClient(transport);
    this.types = types;
    this.policies = feeds.informer(Kinds.POLICIES, ObjectNode::deepCopy);
    this.queue =
        feeds
            .<ObjectKey>loop("policies", 1)
            .wakes(policies, item -> Optional.of(item.key()))
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var item = policies.get(key);
    if (item.isEmpty()) {
      return Outcome.settled();
    }
    var policy = item.get().value();
    long generation = policy.path("metadata").path("generation").asLong();
    if (policy.path("status").path("observedGeneration").asLong() == generation) {
      return Outcome.settled();
    }
    var patch = Wire.object();
    var status = patch.putObject("status");
    status.put("observedGeneration", generation);
    status.set("typeChecking", types.check(policy));
    try {
      client.mergePatchStatus(Kinds.POLICIES, key, Wire.text(patch));
    } catch (ApiFailure failure) {
      if (!failure.notFound()) {
        throw failure;
      }
    }
    return Outcome.settled();
  }
}
