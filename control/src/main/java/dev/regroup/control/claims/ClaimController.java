package dev.regroup.control.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Binds claims that a pod needs, says why a claim is never bound, and takes the protection off
 * deleted claims once no pod uses them. Pods are looked at only while a deleted claim of their
 * namespace waits, so claims cost nothing as long as nobody deletes one. The directory behind a
 * bound claim is the node's to make and to remove.
 */
public final class ClaimController implements AutoCloseable {
  private static final String METADATA = "metadata";
  private static final String UID = "uid";
  private static final String PROTECTION = "kubernetes.io/pvc-protection";
  private static final Duration SOON = Duration.ofMillis(20);

  private final ApiClient client;
  private final EventRecorder events;
  private final WorkQueue<ObjectKey> queue;
  private final Set<ObjectKey> waiting = ConcurrentHashMap.newKeySet();

  public ClaimController(
      SharedFeeds feeds, Transport transport, PodFeed pods, EventRecorder events) {
    this.client = new ApiClient(transport);
    this.events = events;
    this.queue =
        feeds
            .<ObjectKey>loop("claims", 1)
            .hears(feeds.informer(Kinds.CLAIMS, ClaimView::of), this::changed)
            .hears(pods.informer(), this::podChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private void changed(Delta<ClaimView> delta) {
    var claim = delta.now().map(Item::value);
    if (claim.filter(ClaimView::isDeleted).isPresent()) {
      waiting.add(delta.key());
    } else {
      waiting.remove(delta.key());
    }
    if (claim.isPresent() && !(claim.get().isBound() && !claim.get().isDeleted())) {
      queue.add(delta.key());
    }
  }

  private void podChanged(Delta<ControlledPod> delta) {
    for (var claim : waiting) {
      if (claim.namespace().equals(delta.key().namespace())) {
        queue.add(claim);
      }
    }
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var claim = client.get(Kinds.CLAIMS, key);
    if (claim.isEmpty()) {
      return Outcome.settled();
    }
    var view = ClaimView.of(claim.get());
    if (view.isDeleted()) {
      return isUsed(key) ? Outcome.settled() : release(key, claim.get());
    }
    if (view.isBound()) {
      return Outcome.settled();
    }
    var subject = subject(key, claim.get());
    if (view.refusal().isPresent()) {
      events.warning(subject, view.refusal().get().reason(), view.refusal().get().message());
    } else if (view.selectedNode().isEmpty()) {
      events.normal(
          subject,
          "WaitForFirstConsumer",
          "waiting for first consumer to be created before binding");
    } else {
      return bind(key, claim.get());
    }
    return Outcome.settled();
  }

  private static EventRecorder.Subject subject(ObjectKey key, ObjectNode claim) {
    return EventRecorder.Subject.of(
        "v1", "PersistentVolumeClaim", key, Trees.text(claim, METADATA, UID));
  }

  /** The name of the volume first: a claim that says Bound has one. */
  private Outcome bind(ObjectKey key, ObjectNode claim)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    String volume = ClaimView.volumeName(Trees.text(claim, METADATA, UID));
    var patch = Wire.object();
    patch
        .putObject(METADATA)
        .put(UID, Trees.text(claim, METADATA, UID))
        .putObject("annotations")
        .put("pv.kubernetes.io/bind-completed", "yes")
        .put("pv.kubernetes.io/bound-by-controller", "yes");
    patch.putObject("spec").put("volumeName", volume);
    var status = Wire.object();
    var bound = status.putObject("status").put("phase", "Bound");
    bound.set("accessModes", claim.path("spec").path("accessModes"));
    bound
        .putObject("capacity")
        .put("storage", Trees.at(claim, "spec", "resources", "requests", "storage").asText(""));
    try {
      client.mergePatch(Kinds.CLAIMS, key, Wire.text(patch));
      client.patch(
          Kinds.CLAIMS,
          key,
          "status",
          new Patch(Patch.Type.MERGE, Wire.write(status)),
          WriteOptions.NONE);
    } catch (ApiFailure failure) {
      if (failure.notFound() || failure.conflict()) {
        return Outcome.settled(); // gone, or another one of its name
      }
      throw failure;
    }
    events.normal(
        subject(key, claim), "ProvisioningSucceeded", "Successfully provisioned volume " + volume);
    return Outcome.settled();
  }

  private Outcome release(ObjectKey key, ObjectNode claim)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var metadata = claim.path(METADATA);
    var patch = Wire.object();
    var changes = patch.putObject(METADATA);
    changes.put("resourceVersion", metadata.path("resourceVersion").asText());
    var kept = changes.putArray("finalizers");
    for (var finalizer : metadata.path("finalizers")) {
      if (!finalizer.asText().equals(PROTECTION)) {
        kept.add(finalizer);
      }
    }
    if (kept.size() == metadata.path("finalizers").size()) {
      return Outcome.settled();
    }
    try {
      client.mergePatch(Kinds.CLAIMS, key, Wire.text(patch));
    } catch (ApiFailure failure) {
      if (failure.conflict()) {
        return Outcome.tryAgain(SOON, "changed meanwhile");
      }
      if (!failure.notFound()) {
        throw failure;
      }
    }
    return Outcome.settled();
  }

  private boolean isUsed(ObjectKey claim)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var pods = client.list(Kinds.PODS, ListQuery.in(claim.namespace())).items();
    return pods.stream().anyMatch(pod -> uses(pod, claim.name()));
  }

  /** A finished pod holds no volume any more. */
  private static boolean uses(ObjectNode pod, String claim) {
    var phase = pod.path("status").path("phase").asText("");
    if (phase.equals("Succeeded") || phase.equals("Failed")) {
      return false;
    }
    for (JsonNode volume : pod.path("spec").path("volumes")) {
      if (volume.path("persistentVolumeClaim").path("claimName").asText("").equals(claim)) {
        return true;
      }
    }
    return false;
  }
}
