package dev.regroup.control.pods;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Times;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import java.time.InstantSource;

/**
 * Writes what becomes of pods in place of their nodes. A pod that went meanwhile, or another one of
 * its name, is left alone.
 */
public final class PodPatches {

  private final ApiClient client;
  private final InstantSource clock;

  public PodPatches(ApiClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  /** A change of one pod's status, to be sent with {@link #send}. */
  public record Change(ObjectKey key, ObjectNode patch) {}

  public Change of(ObjectKey key, String uid) {
    var patch = Wire.object();
    patch.putObject("metadata").put("uid", uid);
    patch.putObject("status");
    return new Change(key, patch);
  }

  public Change notReady(Change change) {
    condition(change).put("type", "Ready").put("status", "False");
    return change;
  }

  public Change disrupted(Change change, String reason, String message) {
    condition(change)
        .put("type", "DisruptionTarget")
        .put("status", "True")
        .put("reason", reason)
        .put("message", message);
    return change;
  }

  public Change failed(Change change) {
    change.patch().withObject("status").put("phase", "Failed");
    return change;
  }

  public Change failed(Change change, String reason, String message) {
    failed(change).patch().withObject("status").put("reason", reason).put("message", message);
    return change;
  }

  private ObjectNode condition(Change change) {
    return change
        .patch()
        .withObject("status")
        .withArray("conditions")
        .addObject()
        .put("lastTransitionTime", Times.seconds(clock.instant()));
  }

  /** Whether the pod was still there. */
  public boolean send(Change change)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      client.patch(
          Kinds.PODS,
          change.key(),
          "status",
          new Patch(Patch.Type.STRATEGIC_MERGE, Wire.write(change.patch())),
          WriteOptions.NONE);
      return true;
    } catch (ApiFailure failure) {
      if (failure.notFound() || failure.conflict()) {
        return false;
      }
      throw failure;
    }
  }

  /** With its own grace. */
  public void delete(ObjectKey key, String uid)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    delete(key, DeleteOptions.NONE.onlyUid(uid));
  }

  /** At once: nobody is there to end it. */
  public void remove(ObjectKey key, String uid)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    delete(key, DeleteOptions.NONE.withGrace(0).onlyUid(uid));
  }

  private void delete(ObjectKey key, DeleteOptions options)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      client.delete(Kinds.PODS, key, options);
    } catch (ApiFailure failure) {
      if (!failure.conflict()) {
        throw failure;
      }
    }
  }
}
