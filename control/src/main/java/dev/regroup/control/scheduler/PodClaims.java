package dev.regroup.control.scheduler;

import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.control.claims.ClaimView;
import dev.regroup.control.scheduler.NodeChoice.Ask;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The claims of pods that want a node: whether they stand in the way, and which have to be bound
 * first. A claim is bound for its first user, so the scheduler says which node that is.
 */
final class PodClaims {

  private final ApiClient client;
  private final Informer<ClaimView> claims;

  PodClaims(ApiClient client, Informer<ClaimView> claims) {
    this.client = client;
    this.claims = claims;
  }

  /** Why the pod cannot go to any node; of several claims the first by name. */
  Optional<String> problem(Ask ask) {
    return ask.claims().stream().sorted().flatMap(claim -> problem(claim).stream()).findFirst();
  }

  private Optional<String> problem(String claim) {
    String name = key(claim).name();
    var found = claims.get(key(claim)).map(Item::value);
    if (found.isEmpty()) {
      return Optional.of("persistentvolumeclaim \"%s\" not found".formatted(name));
    }
    if (found.get().isDeleted()) {
      return Optional.of("persistentvolumeclaim \"%s\" is being deleted".formatted(name));
    }
    return !found.get().isBound() && found.get().refusal().isPresent()
        ? Optional.of("pod has unbound immediate PersistentVolumeClaims")
        : Optional.empty();
  }

  /** Those that only one pod may use at a time. */
  Set<String> exclusive(Ask ask) {
    return ask.claims().stream()
        .filter(claim -> claims.get(key(claim)).filter(c -> c.value().isForOnePod()).isPresent())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Those that are not bound yet. */
  List<ObjectKey> open(Ask ask) {
    return ask.claims().stream()
        .map(PodClaims::key)
        .filter(key -> claims.get(key).filter(c -> !c.value().isBound()).isPresent())
        .toList();
  }

  /** Has volumes made for these claims on this node. */
  void select(List<ObjectKey> open, String node)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var patch = Wire.object();
    patch.putObject("metadata").putObject("annotations").put(ClaimView.SELECTED_NODE, node);
    for (ObjectKey key : open) {
      boolean isNews = claims.get(key).filter(c -> c.value().selectedNode().equals(node)).isEmpty();
      if (isNews) {
        client.mergePatch(Kinds.CLAIMS, key, patch.toString());
      }
    }
  }

  private static ObjectKey key(String claim) {
    int slash = claim.indexOf('/');
    return new ObjectKey(claim.substring(0, slash), claim.substring(slash + 1));
  }
}
