package dev.regroup.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.rules.pod.PodSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One revision of a pod as the API server showed it.
 *
 * @param pod the typed object, without its status
 * @param spec the same as decisions need it
 * @param status as it came, with everybody's conditions
 */
public record NodePod(Pod pod, PodSpec spec, JsonNode metadata, JsonNode status) {

  public static NodePod read(JsonNode tree) {
    var metadata = tree.path("metadata");
    var lean = Wire.object();
    lean.set("metadata", lean(metadata));
    lean.set("spec", tree.path("spec"));
    var pod = Wire.read(lean, Pod.class);
    return new NodePod(pod, PodSpecs.of(lean), metadata, tree.path("status"));
  }

  /** A newer revision of which only the node's own part differs: status and some annotations. */
  NodePod withNews(JsonNode tree) {
    var next = tree.path("metadata");
    return new NodePod(
        next.path("annotations").equals(annotations()) ? pod : relabelled(next),
        spec,
        next,
        tree.path("status"));
  }

  private Pod relabelled(JsonNode next) {
    var newer = new Pod();
    newer.setMetadata(Wire.read(lean(next), ObjectMeta.class));
    newer.setSpec(pod.getSpec());
    return newer;
  }

  /** Who wrote which field is no affair of a node, and half of the text. */
  private static ObjectNode lean(JsonNode metadata) {
    ObjectNode lean = Wire.object();
    metadata.properties().stream()
        .filter(field -> !field.getKey().equals("managedFields"))
        .forEach(field -> lean.set(field.getKey(), field.getValue()));
    return lean;
  }

  public JsonNode annotations() {
    return metadata.path("annotations");
  }

  public long version() {
    return metadata.path("resourceVersion").asLong(0);
  }

  /** The container of this name, whatever its kind. */
  public Optional<Container> container(String name) {
    var spec = pod.getSpec();
    return Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream())
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .or(() -> ephemeral(name));
  }

  private Optional<Container> ephemeral(String name) {
    return pod.getSpec().getEphemeralContainers().stream()
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .map(container -> Wire.read(Wire.toTree(container), Container.class)); // same fields
  }

  public String uid() {
    return pod.getMetadata().getUid();
  }

  public String namespace() {
    return pod.getMetadata().getNamespace();
  }

  public String name() {
    return pod.getMetadata().getName();
  }

  public String key() {
    return namespace() + "/" + name();
  }

  /** Whether its phase is final, whoever said so. */
  public boolean isGivenUp() {
    String phase = status.path("phase").asText("");
    return phase.equals("Failed") || phase.equals("Succeeded");
  }

  /** Of the spec that its status is about: nobody looks at what is asked of one that has ended. */
  public long observedGeneration() {
    var generation = pod.getMetadata().getGeneration();
    long asked = generation == null ? 0 : generation;
    return isGivenUp() ? status.path("observedGeneration").asLong(asked) : asked;
  }

  /** When the node accepted the pod, if that was written already. */
  public Instant startTime(Instant otherwise) {
    var text = status.path("startTime").asText("");
    try {
      return text.isEmpty() ? otherwise : Instant.parse(text);
    } catch (DateTimeParseException e) {
      return otherwise;
    }
  }
}
