package dev.regroup.control.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Delta;
import dev.regroup.client.Informer;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Outcome;
import dev.regroup.client.Transport;
import dev.regroup.client.WorkQueue;
import dev.regroup.control.Kinds;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.pods.PodView;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * Takes the protection off deleted claims once no pod uses them. Pods are looked at only while a
 * claim of their namespace waits, so claims cost nothing as long as nobody deletes one.
 */
public final class ClaimController implements AutoCloseable {
  private static final String PROTECTION = "kubernetes.io/pvc-protection";
  private static final Duration SOON = Duration.ofMillis(20);

  private final ApiClient client;
  private final Informer<Boolean> claims;
  private final WorkQueue<ObjectKey> queue;
  private final Set<ObjectKey> waiting = ConcurrentHashMap.newKeySet();

  /** Adds its listener to the feed of pods, which is started afterwards. */
  public ClaimController(Transport transport, PodFeed pods, RandomGenerator random) {
    this.client = new ApiClient(transport);
    this.queue = new WorkQueue<>(WorkQueue.Settings.of("claims", 1), this::handle);
    this.claims =
        new Informer<Boolean>(
                transport, Kinds.CLAIMS, ListQuery.ALL, ClaimController::isDeleted, random)
            .listen(this::changed);
    pods.listen(this::podChanged);
  }

  public void start() {
    claims.start();
  }

  @Override
  public void close() {
    claims.close();
    queue.close();
  }

  private static boolean isDeleted(ObjectNode claim) {
    return claim.path("metadata").hasNonNull("deletionTimestamp");
  }

  private void changed(Delta<Boolean> delta) {
    if (delta.now().filter(item -> item.value()).isPresent()) {
      waiting.add(delta.key());
      queue.add(delta.key());
    } else {
      waiting.remove(delta.key());
    }
  }

  private void podChanged(Delta<PodView> delta) {
    for (var claim : waiting) {
      if (claim.namespace().equals(delta.key().namespace())) {
        queue.add(claim);
      }
    }
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var claim = client.get(Kinds.CLAIMS, key);
    if (claim.isEmpty() || !isDeleted(claim.get()) || isUsed(key)) {
      return Outcome.settled();
    }
    var metadata = claim.get().path("metadata");
    var patch = Wire.object();
    var changes = patch.putObject("metadata");
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
