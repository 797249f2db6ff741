package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.yaml.YamlDocuments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Groups with agents in their pods, added by the controller and run by Regroup's own node. */
class AgentGroupsIT {

  private static final Path RIGHTS = Path.of("../../examples/kep/kep-467-agent-rights.yaml");
  private static final Map<String, String> COLLECTIONS =
      Map.of(
          "ServiceAccount", "/api/v1/namespaces/default/serviceaccounts",
          "Role", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
          "RoleBinding", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
          "ValidatingAdmissionPolicy",
              "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
          "ValidatingAdmissionPolicyBinding",
              "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings");

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    kube = cluster.kube();
    for (var document : YamlDocuments.read(Files.readAllBytes(RIGHTS))) {
      JsonNode object = document.root();
      kube.create(COLLECTIONS.get(object.path("kind").asText()), object);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** JS-130, JS-132a, JS-132b, JS-166, AS-41, AS-42; a process agent restarts no container. */
  @ParameterizedTest
  @CsvSource({"sidecar, 1", "process, 0"})
  void one_worker_dies_and_all_go_on(String kind, int restarts) throws Exception {
    var place = new Workers.Place("host", kind, Workers.LIMIT);
    var group = new Workers(folder, "with-" + kind, 3, place);
    kube.create(JOB_SETS, group.manifest(1_000));
    var before = group.awaitRunning(kube, 0);

    group.exit(0, 1, 1);
    var after = group.awaitRunning(kube, 1);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values())
        .allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(restarts));
    assertThat(group.jobSet(kube).path("status").path("restarts").asInt()).isZero();
    group.exitAll(1, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }
}
