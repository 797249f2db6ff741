package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import dev.regroup.e2e.AgentRights;
import dev.regroup.e2e.Kube;
import dev.regroup.testing.ExpectsThread;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Judged by the real API server (JS-149c, JS-149d, AS-69). */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class AgentRightsIT extends AgentRights {

  private Kube kube;

  @BeforeEach
  void an_agent_has_a_token_of_its_pod(RealCluster cluster) throws Exception {
    kube = cluster.kube();
    cluster.regroup(); // brings role and policy
    ensureAccount();
    open(kube);
  }

  /** The controller makes it where a group needs it; here no group comes first. */
  private void ensureAccount() throws Exception {
    new Manifests(kube)
        .apply(
            """
            apiVersion: v1
            kind: ServiceAccount
            metadata: {name: jobset-in-place-restart, namespace: default}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata: {name: jobset-in-place-restart, namespace: default}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: regroup-in-place-restart-agent}
            subjects:
            - {kind: ServiceAccount, name: jobset-in-place-restart, namespace: default}
            """);
  }

  /** Thousands of agents write within a second: they wait in a queue of their own. */
  @Test
  void its_requests_are_queued_apart_from_those_of_others() throws Exception {
    var flow = "/apis/flowcontrol.apiserver.k8s.io/v1/";
    var schema = kube.get(flow + "flowschemas/regroup-agents").at("/metadata/uid").asText();
    var level =
        kube.get(flow + "prioritylevelconfigurations/regroup-agents").at("/metadata/uid").asText();
    var jobSets = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";

    var own = patch(OWN, annotation(ATTEMPT, "1"), "");
    long end = System.nanoTime() + RegroupOnCluster.PATIENCE.toNanos();
    while (!schemaOf(own).equals(Optional.of(schema)) && System.nanoTime() < end) {
      LockSupport.parkNanos(20_000_000); // it may have been installed a moment ago
    }
    for (var request : List.of(own, Request.get(jobSets, "fieldSelector=metadata.name%3Dany"))) {
      assertThat(schemaOf(request)).hasValue(schema);
      assertThat(send(request).headers().first("x-kubernetes-pf-prioritylevel-uid"))
          .hasValue(level);
    }
    assertThat(schemaOf(Request.get(PODS, ""))).isPresent().isNotEqualTo(Optional.of(schema));
  }

  private Optional<String> schemaOf(Request request) throws Exception {
    return send(request).headers().first("x-kubernetes-pf-flowschema-uid");
  }
}
