package dev.regroup.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.local.PodHarm;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The ways to a worker. Deleting and evicting go through the API. Signals, memory and network go
 * through the program that runs the pod, where that is Regroup's own on this machine; elsewhere
 * through a command inside the container, as far as the kernel lets one process hurt another there.
 */
public final class HarmRoads {

  /** Runs a command in a container and returns its exit code. */
  public interface Inside {
    int run(ObjectKey pod, String container, List<String> command)
        throws CliFailure, InterruptedException;
  }

  private final ApiClient client;
  private final Path directory;
  private final Optional<Inside> inside;

  /**
   * @param directory of a local cluster that may run the pods
   * @param inside the way into containers of other clusters
   */
  public HarmRoads(Transport transport, Path directory, Optional<Inside> inside) {
    this.client = new ApiClient(transport);
    this.directory = directory;
    this.inside = inside;
  }

  /** The pod of this name as it is now. */
  Optional<? extends JsonNode> pod(ObjectKey key) throws CliFailure, InterruptedException {
    try {
      return client.get(Kinds.PODS, key);
    } catch (ApiFailure | Transport.Unreachable e) {
      throw new CliFailure("pod/%s: %s".formatted(key.name(), e.getMessage()), e);
    }
  }

  /** Whether a program of ours on this machine runs this pod, so that everything can be done. */
  boolean isLocal(JsonNode pod) {
    try {
      PodHarm.has(directory, Trees.text(pod, "metadata", "uid"));
      return true;
    } catch (CliFailure e) {
      return false;
    }
  }

  /** Why a deed cannot be done to this pod, if that is known beforehand. */
  Optional<String> obstacle(Deed deed, JsonNode pod) {
    var harm = deed.harm();
    if (harm == Harm.DELETE || harm == Harm.EVICT) {
      return Optional.empty();
    }
    if (harm == Harm.FILL && memoryLimit(container(pod, deed.container())) == 0) {
      return Optional.of("the container has no limits.memory that could be reached");
    }
    if (isLocal(pod)) {
      return Optional.empty();
    }
    if (harm == Harm.CUT) {
      return Optional.of(
          "only Regroup's own nodes on this machine can cut a pod off (on another cluster use a"
              + " NetworkPolicy, or delete the pod)");
    }
    if (pod.path("spec").path("shareProcessNamespace").asBoolean()) {
      return Optional.of(
          "its containers share their processes, so all of them would be hurt (use delete or"
              + " evict)");
    }
    return inside.isEmpty()
        ? Optional.of("no cluster of yours in %s runs it".formatted(directory))
        : Optional.empty();
  }

  /** Does it, and says in words what was done. */
  String perform(Deed deed, JsonNode pod) throws CliFailure, InterruptedException {
    var key =
        new ObjectKey(
            Trees.text(pod, "metadata", "namespace"), Trees.text(pod, "metadata", "name"));
    String uid = Trees.text(pod, "metadata", "uid");
    try {
      return switch (deed.harm()) {
        case DELETE -> {
          boolean was = client.delete(Kinds.PODS, key, DeleteOptions.NONE.onlyUid(uid));
          yield was ? "pod deleted" : "the pod was gone already";
        }
        case EVICT -> {
          client.post(Kinds.PODS, key, "eviction", eviction(key));
          yield "pod evicted";
        }
        case KILL, TERMINATE, STOP, FILL, CUT -> {
          var container = container(pod, deed.container());
          yield isLocal(pod)
              ? outside(deed, uid, Trees.text(container, "name"))
              : within(deed, key, container);
        }
      };
    } catch (ApiFailure | Transport.Unreachable e) {
      throw new CliFailure(String.valueOf(e.getMessage()), e);
    }
  }

  private String outside(Deed deed, String uid, String container) throws CliFailure {
    return switch (deed.harm()) {
      case KILL -> PodHarm.signal(directory, uid, container, "SIGKILL");
      case TERMINATE -> PodHarm.signal(directory, uid, container, "SIGTERM");
      case STOP -> PodHarm.freeze(directory, uid, container, deed.lasting());
      case FILL -> PodHarm.fill(directory, uid, container);
      case CUT -> PodHarm.cut(directory, uid, deed.lasting());
      case DELETE, EVICT -> throw new IllegalStateException("goes through the API");
    };
  }

  private String within(Deed deed, ObjectKey key, JsonNode container)
      throws CliFailure, InterruptedException {
    String script = InsideHarm.script(deed, memoryLimit(container));
    var command = List.of("sh", "-c", script);
    return InsideHarm.outcome(
        deed, inside.orElseThrow().run(key, Trees.text(container, "name"), command));
  }

  /** In bytes; 0 for none. */
  private static long memoryLimit(JsonNode container) {
    return Quantity.of(Trees.text(container, "resources", "limits", "memory"))
        .map(limit -> limit.amount().longValue())
        .orElse(0L);
  }

  /** The one of this name, else the first. */
  private static JsonNode container(JsonNode pod, String name) {
    var all = Trees.objects(pod, "spec", "containers");
    return all.stream()
        .filter(one -> name.isEmpty() || Trees.text(one, "name").equals(name))
        .findFirst()
        .<JsonNode>map(one -> one)
        .orElseGet(() -> Wire.object().put("name", name));
  }

  /** Whether somebody notices that the container hangs. */
  static boolean hasLivenessProbe(JsonNode pod, String name) {
    return Trees.has(container(pod, name), "livenessProbe");
  }

  private static byte[] eviction(ObjectKey key) {
    var eviction = Wire.object().put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction.putObject("metadata").put("name", key.name()).put("namespace", key.namespace());
    return eviction.toString().getBytes(StandardCharsets.UTF_8);
  }
}
