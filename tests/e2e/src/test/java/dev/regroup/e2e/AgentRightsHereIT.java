package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Judged by Regroup's own server, with what comes with the first group (JS-149d, AS-69). */
class AgentRightsHereIT extends AgentRights {

  private static final String BINDINGS =
      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void a_group_has_brought_account_role_and_policy() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    var process = new Workers.Place("host", "process", Workers.LIMIT);
    cluster.kube().create(JOB_SETS, new Workers(folder, "first", 1, process).manifest(3));
    cluster.kube().awaitOne(BINDINGS, "jobset-in-place-restart", _ -> true, Workers.LIMIT);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void an_agent_has_a_token_of_its_pod() throws Exception {
    open(cluster.kube());
  }
}
