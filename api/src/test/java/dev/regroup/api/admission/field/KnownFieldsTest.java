package dev.regroup.api.admission.field;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.field.KnownFields.Line;
import dev.regroup.api.admission.field.KnownFields.Operator;
import dev.regroup.api.admission.field.KnownFields.Type;
import dev.regroup.api.admission.field.KnownFields.Verdict;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing is dropped in silence: every field has a line, every line that warns does. */
class KnownFieldsTest {

  private static final String CORE = "io.k8s.api.core.v1.";
  private static final Map<Type, List<String>> DEFINITIONS =
      Map.of(
          Type.POD, List.of(CORE + "PodSpec"),
          Type.CONTAINER, List.of(CORE + "Container", CORE + "EphemeralContainer"),
          Type.JOB, List.of("io.k8s.api.batch.v1.JobSpec"),
          Type.SERVICE, List.of(CORE + "ServiceSpec"),
          Type.CLAIM, List.of(CORE + "PersistentVolumeClaimSpec"));
  private static final Path PAGE = Path.of("..", "docs", "reference", "fields.md");

  private final Schema schema = Schema.of(Gates.product(), Decoding.STRICT);

  @Test
  void every_field_of_the_schema_has_a_line() {
    var missing = new TreeSet<String>();
    DEFINITIONS.forEach((type, names) -> names.forEach(name -> uncovered(type, name, "", missing)));

    assertThat(missing).as("fields without a line in fields.txt").isEmpty();
  }

  @Test
  void every_line_names_a_field_of_the_schema() {
    for (Line line : KnownFields.lines()) {
      boolean known =
          DEFINITIONS.getOrDefault(line.type(), List.of()).stream()
              .anyMatch(name -> exists(name, line.names()));
      assertThat(known).as("%s %s", line.type(), line.path()).isTrue();
    }
  }

  static List<Line> warned() {
    return KnownFields.lines().stream().filter(line -> line.verdict() == Verdict.WARNED).toList();
  }

  @ParameterizedTest
  @MethodSource("warned")
  void a_line_that_warns_does(Line line) {
    var object = Wire.object();
    set(object, line);
    var root = object;
    if (line.type() == Type.CONTAINER) {
      root = Wire.object();
      root.putArray("containers").add(object);
    }
    boolean ofPod = line.type() == Type.POD || line.type() == Type.CONTAINER;
    var spec = root;
    var product =
        ofPod
            ? KnownFields.ofPod(Gates.product(), spec, FieldPath.of("spec"))
            : KnownFields.of(Gates.product(), line.type(), spec, FieldPath.of("spec"));

    assertThat(line.sentence()).isNotEmpty();
    assertThat(product)
        .anyMatch(
            text -> text.endsWith(": not honoured by Regroup's node (" + line.sentence() + ")"));
    assertThat(KnownFields.ofPod(Gates.upstream(), spec, FieldPath.of("spec"))).isEmpty();
  }

  @Test
  void a_pod_that_asks_for_nothing_special_earns_no_warning() {
    assertThat(warnings(Gates.product(), "")).isEmpty();
  }

  @Test
  void a_warning_names_the_field_and_what_happens_instead() {
    String fields = "\"runtimeClassName\":\"gvisor\",\"hostUsers\":false,";

    assertThat(warnings(Gates.product(), fields))
        .containsExactly(
            "spec.hostUsers: not honoured by Regroup's node (there are no user namespaces; the pod"
                + " does not start)",
            "spec.runtimeClassName: not honoured by Regroup's node (there is one runtime)");
  }

  @Test
  void the_page_shows_the_table() throws IOException {
    String page = page();
    if (Boolean.getBoolean("fields.fix")) {
      Files.writeString(PAGE, page);
    }

    assertThat(PAGE).content().as("run with -Dfields.fix=true to write it").isEqualTo(page);
  }

  private static List<String> warnings(Gates gates, String fields) {
    var pod =
        Wire.tree(
            """
            {"metadata":{"name":"p","namespace":"n"},
             "spec":{%s"containers":[{"name":"c","image":"i"}]}}
            """
                .formatted(fields));
    return new Admission(AdmissionSettings.of(gates), new Random(1))
        .admit(
            new Review(new GroupVersionKind("", "v1", "Pod"), Operation.CREATE, pod, null),
            Lookup.NOTHING)
        .warnings();
  }

  private void uncovered(Type type, String definition, String prefix, TreeSet<String> missing) {
    schema
        .definition(definition)
        .fields()
        .forEach((name, field) -> {
          String path = prefix.isEmpty() ? name : prefix + "." + name;
          Field inner = field;
          String suffix = "";
          while (inner.isList() && inner.items() != null) {
            inner = inner.items();
            suffix = "[]";
          }
          boolean has =
              KnownFields.lines().stream()
                  .anyMatch(l -> l.type() == type && l.path().equals(path) && isGeneral(l));
          String ref = inner.ref();
          if (has) {
            return;
          }
          if (ref == null || !schema.has(ref) || schema.definition(ref).fields().isEmpty()) {
            missing.add(type.name().toLowerCase(Locale.ROOT) + " " + path);
          } else {
            uncovered(type, ref, path + suffix, missing);
          }
        });
  }

  /** A line with a condition says nothing about other values. */
  private static boolean isGeneral(Line line) {
    return line.condition().isEmpty();
  }

  private boolean exists(String definition, List<String> names) {
    String name = names.getFirst().replace("[]", "");
    var field = schema.definition(definition).fields().get(name);
    if (field == null) {
      return false;
    }
    if (names.size() == 1) {
      return true;
    }
    Field inner = field.isList() && field.items() != null ? field.items() : field;
    return inner.ref() == null || !schema.has(inner.ref()) || inner.values() != null
        ? inner.values() != null // keys of a map
        : exists(inner.ref(), names.subList(1, names.size()));
  }

  private static void set(ObjectNode object, Line line) {
    ObjectNode owner = object;
    var names = line.names();
    for (String name : names.subList(0, names.size() - 1)) {
      owner =
          name.endsWith("[]")
              ? owner.putArray(name.substring(0, name.length() - 2)).addObject()
              : owner.putObject(name);
    }
    boolean own =
        line.condition().isPresent()
            && line.condition().get().field().isEmpty()
            && line.condition().get().operator() == Operator.IS;
    JsonNode value =
        own
            ? Wire.object().textNode(line.condition().orElseThrow().value())
            : Wire.object().textNode("x");
    owner.set(names.getLast(), value);
  }

  private static String page() {
    var text =
        new StringBuilder(
            """
            # What becomes of every field

            A field that Regroup accepts is honoured, or the answer says that it is not: `kubectl` prints `Warning: spec.x: not honoured by
            Regroup's node (…)`. With `--gates=upstream` the answers are those of Kubernetes, without these warnings. A line stands for all
            fields below it that have no line of their own. *Nothing* means that there is nothing the field could do here. This page is made from
            the table the server uses; a test fails when a field of Kubernetes' schema has no line.
            """);
    for (Type type : Type.values()) {
      text.append("\n## ")
          .append(title(type))
          .append("\n\n| field | verdict | what that means |\n|---|---|---|\n");
      for (Line line : KnownFields.lines()) {
        if (line.type() == type) {
          text.append("| `").append(line.path()).append('`').append(condition(line));
          text.append(" | ").append(line.verdict().name().toLowerCase(Locale.ROOT));
          text.append(" | ").append(line.sentence()).append(" |\n");
        }
      }
    }
    return text.toString();
  }

  private static String title(Type type) {
    return switch (type) {
      case POD -> "Pod (`spec`)";
      case CONTAINER -> "Containers of a pod";
      case JOB -> "Job (`spec`)";
      case SERVICE -> "Service (`spec`)";
      case CLAIM -> "PersistentVolumeClaim (`spec`)";
    };
  }

  private static String condition(Line line) {
    return line.condition()
        .map(condition -> {
          var words = new ArrayList<String>();
          words.add(condition.field().isEmpty() ? "" : " with `" + condition.field() + "`");
          words.add(condition.operator() == Operator.IS ? " = " : " other than ");
          words.add("`" + condition.value() + "`");
          return String.join("", words);
        })
        .orElse("");
  }
}
