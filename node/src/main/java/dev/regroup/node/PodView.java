package dev.regroup.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.rules.pod.PodSpec;
import io.fabric8.kubernetes.api.model.Container;
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
record PodView(Pod pod, PodSpec spec, JsonNode metadata, JsonNode status) {

  static PodView read(JsonNode tree) {
    var metadata = tree.path("metadata");
    var lean = Wire.object();
    lean.set("metadata", metadata);
    lean.set("spec", tree.path("spec"));
    var pod = Wire.read(lean, Pod.class);
    return new PodView(pod, PodSpecs.of(pod), metadata, tree.path("status"));
  }

  /** A newer revision of which only the status differs. */
  PodView withStatus(JsonNode tree) {
    return new PodView(pod, spec, tree.path("metadata"), tree.path("status"));
  }

  JsonNode annotations() {
    return metadata.path("annotations");
  }

  long version() {
    return metadata.path("resourceVersion").asLong(0);
  }

  /** The container of this name, whatever its kind. */
  Optional<Container> container(String name) {
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

  String uid() {
    return pod.getMetadata().getUid();
  }

  String namespace() {
    return pod.getMetadata().getNamespace();
  }

  String name() {
    return pod.getMetadata().getName();
  }

  String key() {
    return namespace() + "/" + name();
  }

  /** When the node accepted the pod, if that was written already. */
  Instant startTime(Instant otherwise) {
    var text = status.path("startTime").asText("");
    try {
      return text.isEmpty() ? otherwise : Instant.parse(text);
    } catch (DateTimeParseException e) {
      return otherwise;
    }
  }
}
