package dev.regroup.api.admission;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One case of {@code cases/*.yaml}: an object, what was stored before, and what admission must say.
 *
 * <ul>
 *   <li>{@code it}: a sentence; {@code rules}: the numbers it stands for
 *   <li>{@code gates}: settings on top of the preset {@code product} (default) or {@code upstream}
 *   <li>{@code pod}, {@code job}, {@code jobset}, {@code template}: fields of the spec, laid over
 *       the smallest object of that kind; {@code container}, {@code init}: fields of the one
 *       container of its pod; {@code metadata}: fields of the object's metadata
 *   <li>{@code stored}: the same for the object that is updated, admitted with {@code storedGates};
 *       {@code hasStatus}: fields of its status
 *   <li>{@code status}: the change is one of the status only; {@code resize}: fields of the pod's
 *       spec, written through {@code /resize}
 *   <li>{@code errors}, {@code warnings}: exactly these texts, where {@code <object>} stands for a
 *       printed structure; {@code gives}: JSON pointers of the result and their values; {@code
 *       undecodable}: what decoding says
 * </ul>
 */
record AdmissionCase(String file, ObjectNode node) {

  static final Map<String, GroupVersionKind> KINDS =
      Map.of(
          "pod", new GroupVersionKind("", "v1", "Pod"),
          "template", new GroupVersionKind("", "v1", "PodTemplate"),
          "job", new GroupVersionKind("batch", "v1", "Job"),
          "jobset", new GroupVersionKind("jobset.x-k8s.io", "v1alpha2", "JobSet"));

  private static final Map<String, Setup> SETUPS = new HashMap<>();

  private static final String POD_SPEC =
      "{\"containers\": [{\"name\": \"c\", \"image\": \"i:1\"}]}";

  static List<AdmissionCase> all() throws IOException, URISyntaxException {
    var folder = Path.of(requireNonNull(AdmissionCase.class.getResource("cases")).toURI());
    var cases = new ArrayList<AdmissionCase>();
    try (var files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        for (var document : YamlDocuments.read(Files.readAllBytes(file))) {
          cases.add(new AdmissionCase(file.getFileName().toString(), (ObjectNode) document.root()));
        }
      }
    } catch (YamlFailure e) {
      throw new IOException(folder + ": " + e.position() + ": " + e.problem(), e);
    }
    return cases;
  }

  @Override
  public String toString() {
    return String.join(", ", rules()) + (rules().isEmpty() ? "" : ": ") + Trees.text(node, "it");
  }

  List<String> rules() {
    return Trees.texts(node, "rules");
  }

  /** What admission said, or why the object could not be read. */
  record Result(
      List<String> errors, List<String> warnings, ObjectNode object, @Nullable String unreadable) {}

  Result run() {
    var setup = setup(Trees.text(node, "gates"));
    try {
      ObjectNode stored = null;
      if (node.get("stored") instanceof ObjectNode before) {
        var then = node.has("storedGates") ? setup(Trees.text(node, "storedGates")) : setup;
        stored = admit(before, null, then, new ArrayList<>()).object();
        lay(before.path("hasStatus"), Trees.child(stored, "status"));
      }
      var warnings = new ArrayList<String>();
      var admitted = admit(node, stored, setup, warnings);
      warnings.addAll(admitted.warnings());
      var errors = new ArrayList<>(admitted.errors().stream().map(FieldError::toString).toList());
      admitted
          .refusal()
          .filter(_ -> errors.isEmpty())
          .ifPresent(status -> errors.add(Trees.text(status, "message")));
      return new Result(errors, warnings, admitted.object(), null);
    } catch (Undecodable e) {
      return new Result(List.of(), List.of(), Wire.object(), e.getMessage());
    }
  }

  /** Reader and judge for one choice of gates; made once, as in a server. */
  private record Setup(Decoder decoder, Admission admission) {

    static Setup of(String text) {
      boolean upstream = text.startsWith("upstream");
      Gates gates = upstream ? Gates.upstream() : Gates.product();
      String changes = upstream ? text.substring("upstream".length()).strip() : text;
      var settings = AdmissionSettings.of(changes.isEmpty() ? gates : gates.with(changes).gates());
      return new Setup(
          new Decoder(Schema.of(settings.gates(), settings.decoding())),
          new Admission(settings, new Random(1)));
    }
  }

  private static Setup setup(String gates) {
    return SETUPS.computeIfAbsent(gates, Setup::of);
  }

  private static Admitted admit(
      ObjectNode given, @Nullable ObjectNode stored, Setup setup, List<String> told)
      throws Undecodable {
    String key = KINDS.keySet().stream().filter(given::has).findFirst().orElse("pod");
    GroupVersionKind kind = requireNonNull(KINDS.get(key));
    ObjectNode object = stored == null ? smallest(key) : stored.deepCopy();
    if (given.get("status") instanceof ObjectNode status) {
      object.set("status", status);
    }
    overlay(object, given, key);
    var decoded = setup.decoder().decode(new Document(object, List.of()), kind);
    told.addAll(decoded.problems());
    Operation operation = stored == null ? Operation.CREATE : Operation.UPDATE;
    if (given.has("status")) {
      operation = Operation.UPDATE_STATUS;
    } else if (given.has("ephemeral")) {
      operation = Operation.UPDATE_EPHEMERAL_CONTAINERS;
    } else if (given.has("resize")) {
      operation = Operation.UPDATE_RESIZE;
    }
    var review = new Review(kind, operation, decoded.object(), stored);
    return setup.admission().admit(review, AdmissionCase::find);
  }

  private static Optional<ObjectNode> find(
      String apiVersion, String kind, @Nullable String namespace, String name) {
    if (kind.equals("Node") && name.equals("own")) {
      return Optional.of(
          Wire.tree("{\"status\":{\"nodeInfo\":{\"kubeletVersion\":\"v1+regroup\"}}}"));
    }
    return kind.equals("ServiceAccount") && name.equals("default")
        ? Optional.of(Wire.object())
        : Optional.empty();
  }

  private static ObjectNode smallest(String key) {
    ObjectNode object = Wire.object();
    object
        .putObject("metadata")
        .put("name", "x")
        .put("namespace", "n")
        .put("uid", "u")
        .put("creationTimestamp", "2026-01-01T00:00:00Z");
    JsonNode pod = Wire.tree(POD_SPEC);
    switch (key) {
      case "pod" -> object.set("spec", pod);
      case "template" -> object.putObject("template").set("spec", pod);
      case "job" -> {
        ((ObjectNode) pod).put("restartPolicy", "Never");
        object.putObject("spec").putObject("template").set("spec", pod);
      }
      default ->
          object
              .putObject("spec")
              .putArray("replicatedJobs")
              .addObject()
              .put("name", "w")
              .putObject("template")
              .putObject("spec")
              .putObject("template")
              .set("spec", pod);
    }
    return object;
  }

  private static void overlay(ObjectNode object, ObjectNode given, String key) {
    ObjectNode spec = Trees.child(object, key.equals("template") ? "template" : "spec");
    lay(given.path(key), spec);
    lay(given.path("metadata"), Trees.child(object, "metadata"));
    ObjectNode podSpec =
        switch (key) {
          case "pod" -> spec;
          case "template" -> Trees.child(spec, "spec");
          case "job" -> Trees.child(Trees.child(spec, "template"), "spec");
          default ->
              Trees.objects(spec, "replicatedJobs").stream()
                  .findFirst()
                  .flatMap(job -> Trees.object(job, "template", "spec", "template", "spec"))
                  .orElseGet(Wire::object);
        };
    lay(given.path("rj"), Trees.objects(spec, "replicatedJobs").stream().findFirst().orElse(spec));
    lay(given.path("podSpec"), podSpec);
    if (given.has("container")) {
      lay(given.path("container"), Trees.objects(podSpec, "containers").getFirst());
    }
    lay(given.path("resize"), spec);
    if (given.has("ephemeral")) {
      spec.set("ephemeralContainers", given.path("ephemeral"));
    }
    if (given.has("init")) {
      ObjectNode init = Trees.list(podSpec, "initContainers").addObject();
      lay(Wire.tree("{\"name\": \"s\", \"image\": \"i:1\"}"), init);
      lay(given.path("init"), init);
    }
  }

  /** Objects are laid over objects, anything else replaces; null removes. */
  private static void lay(JsonNode from, ObjectNode to) {
    for (var entry : from.properties()) {
      JsonNode value = entry.getValue();
      if (value.isNull()) {
        to.remove(entry.getKey());
      } else if (value.isObject() && to.get(entry.getKey()) instanceof ObjectNode below) {
        lay(value, below);
      } else {
        to.set(entry.getKey(), value.deepCopy());
      }
    }
  }
}
