package dev.regroup.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.YamlText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The files in {@code deploy} are what the program installs. {@code -Ddeploy=fix} writes them anew.
 */
class DeployFilesTest {

  private static final Path DEPLOY = Path.of("../deploy");
  private static final String MADE =
      "# Made from deploy/chart; mvn -pl cli -am test -Dtest=DeployFilesTest -Ddeploy=fix\n";

  private static String yaml(List<ObjectNode> objects) {
    return objects.stream().map(YamlText::of).collect(Collectors.joining("---\n", MADE, ""));
  }

  private static void isFresh(Path file, String wanted) throws IOException {
    if ("fix".equals(System.getProperty("deploy"))) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, wanted);
    }
    assertThat(Files.readString(file)).as("%s is stale", file).isEqualTo(wanted);
  }

  /** JS-1, JS-2, JS-154. */
  @Test
  void the_definition_is_the_one_made_from_the_schema() throws IOException {
    isFresh(DEPLOY.resolve("chart/crds/jobsets.yaml"), yaml(List.of(Chart.definition())));
  }

  @Test
  void the_manifests_are_the_chart_rendered() throws IOException {
    var all = new ArrayList<ObjectNode>();
    all.add(Chart.standard().namespaceObject());
    all.addAll(Chart.standard().objects());

    isFresh(DEPLOY.resolve("manifests/definition.yaml"), yaml(List.of(Chart.definition())));
    isFresh(DEPLOY.resolve("manifests/regroup.yaml"), yaml(all));
  }

  /** Kinds that our server has no schema for are left to the real cluster. */
  @Test
  void every_field_of_every_object_is_one_kubernetes_knows() throws Exception {
    var schema = Schema.of(Gates.upstream(), Decoding.STRICT);
    int known = 0;
    for (var object : Chart.standard().objects()) {
      var version = Trees.text(object, "apiVersion");
      int slash = version.indexOf('/');
      var kind =
          new GroupVersionKind(
              slash < 0 ? "" : version.substring(0, slash),
              version.substring(slash + 1),
              Trees.text(object, "kind"));
      if (schema.kind(kind).isPresent()) {
        var decoded = new Decoder(schema).decode(Document.parse(Wire.write(object)), kind);
        assertThat(decoded.problems()).as(ClusterObjects.name(object)).isEmpty();
        known++;
      }
    }
    assertThat(known).isGreaterThan(10);
  }

  /**
   * JS-149e: no more than that, but for roles of their own; and the status of pods, where JS-91b
   * has a condition written.
   */
  @Test
  void the_controllers_role_is_the_specified_one() {
    var role =
        Chart.standard().objects().stream()
            .filter(object ->
                ClusterObjects.name(object)
                    .endsWith("clusterrole.rbac.authorization.k8s.io/regroup-controller"))
            .findFirst()
            .orElseThrow();
    var rights = new ArrayList<String>();
    for (var rule : Trees.objects(role, "rules")) {
      for (String group : Trees.texts(rule, "apiGroups")) {
        for (String resource : Trees.texts(rule, "resources")) {
          var verbs = Trees.texts(rule, "verbs").stream().sorted().toList();
          rights.add("%s/%s %s".formatted(group, resource, String.join(",", verbs)));
        }
      }
    }
    String all = "create,delete,get,list,patch,update,watch";
    assertThat(rights)
        .containsExactlyInAnyOrder(
            "jobset.x-k8s.io/jobsets " + all,
            "jobset.x-k8s.io/jobsets/status get,patch,update",
            "jobset.x-k8s.io/jobsets/finalizers update",
            "batch/jobs " + all,
            "batch/jobs/status get,patch,update",
            "/services " + all,
            "/persistentvolumeclaims create,get,list,watch",
            "/pods delete,get,list,patch,update,watch",
            "/pods/status patch",
            "/nodes get,list,watch",
            "/events create,patch,update,watch",
            "events.k8s.io/events create,patch,update,watch",
            "admissionregistration.k8s.io/mutatingwebhookconfigurations get,list,update,watch",
            "admissionregistration.k8s.io/validatingwebhookconfigurations get,list,update,watch");
  }
}
