package dev.regroup.cli.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetDefinition;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The chart inside this program, rendered for one cluster.
 *
 * @param namespace where the controller runs
 * @param values what differs from the chart's own
 */
record Chart(String namespace, ObjectNode values) {

  static final String DEFAULT_NAMESPACE = "regroup-system";

  /** In the order they are made: what others lean on first, what calls the controller last. */
  private static final List<String> TEMPLATES =
      List.of("agents.yaml", "controller-rbac.yaml", "deployment.yaml", "webhooks.yaml");

  /** With the chart's own values. */
  static Chart standard() {
    return new Chart(DEFAULT_NAMESPACE, Wire.object());
  }

  /** The definition of JobSet; apart from the rest, because it outlives it. */
  static ObjectNode definition() {
    return JobSetDefinition.object();
  }

  /** Everything but the definition and the namespace. */
  List<ObjectNode> objects() {
    var objects = new ArrayList<ObjectNode>();
    TEMPLATES.forEach(template -> objects.addAll(objects(template)));
    return objects;
  }

  /** Those of one template. */
  List<ObjectNode> objects(String template) {
    return read(rendered(template), template);
  }

  ObjectNode namespaceObject() {
    var object = Wire.object().put("apiVersion", "v1").put("kind", "Namespace");
    var labels = object.putObject("metadata").put("name", namespace).putObject("labels");
    labels.put(JobSetDefinition.PART_OF, "regroup");
    labels.put("pod-security.kubernetes.io/enforce", "restricted");
    return object;
  }

  /** One template as Helm would print it. */
  String rendered(String template) {
    var root = Wire.object();
    root.putObject("Release").put("Namespace", namespace).put("Name", "regroup");
    ObjectNode all = read(resource("values.yaml"), "values.yaml").getFirst();
    values
        .properties()
        .forEach(value -> {
          if (!all.has(value.getKey())) {
            throw new IllegalArgumentException("the chart has no value " + value.getKey());
          }
          all.set(value.getKey(), value.getValue());
        });
    root.set("Values", all);
    return ChartTemplate.render(resource("templates/" + template), root);
  }

  private static List<ObjectNode> read(String text, String name) {
    try {
      var objects = new ArrayList<ObjectNode>();
      for (var document : YamlDocuments.read(text.getBytes(UTF_8))) {
        if (document.root() instanceof ObjectNode object) {
          objects.add(object);
        }
      }
      return objects;
    } catch (YamlFailure e) {
      throw new IllegalStateException("chart: %s: %s".formatted(name, e.problem()), e);
    }
  }

  private static String resource(String name) {
    try (var in = Objects.requireNonNull(Chart.class.getResourceAsStream("chart/" + name), name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
