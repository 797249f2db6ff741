package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.server.TestServer.Carrier;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects stored while gates were on, and a server that has them off. */
class GatesOffIT {

  private static final String BASE = "/api/v1/namespaces/default";
  private static final String JOBS = "/apis/batch/v1/namespaces/default/jobs";
  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  private static final String CONTAINER =
      "{'name':'c','image':'i','restartPolicy':'Never','restartPolicyRules':["
          + "{'action':'Terminate','exitCodes':{'operator':'In','values':[3]}},"
          + "{'action':'Complete','restartTimes':2},{'action':'Restart','oomKill':{}},"
          + "{'action':'TerminatePod','exit':{}},"
          + "{'action':'RestartAllContainers','terminationGracePeriodSeconds':5,"
          + "'exitCodes':{'operator':'In','values':[4]}}],"
          + "'lifecycle':{'onCompletion':'TerminatePod'}}";

  static Stream<Gates> without() {
    return Stream.of(
        Gates.upstream(),
        Gates.product().with("ExtendedContainerRestartRules=false").gates(),
        Gates.product()
            .with(
                "ExtendedContainerRestartRules=false,TerminatePodOnContainerCompletion=false,"
                    + "RestartAllContainersOnContainerExits=false,ContainerRestartRules=false")
            .gates());
  }

  @ParameterizedTest
  @MethodSource("without")
  void what_is_in_use_stays_and_the_rest_can_be_changed(Gates gates, @TempDir Path directory)
      throws Exception {
    try (var server = TestServer.start(directory, Gates.product())) {
      var admin = server.admin(Carrier.IN_PROCESS);
      admin.post(BASE + "/serviceaccounts", "{'metadata':{'name':'default'}}").expect(201);
      var spec = "{'restartPolicy':'Never','containers':[" + CONTAINER + "]}";
      admin.post(BASE + "/pods", "{'metadata':{'name':'p'},'spec':" + spec + "}").expect(201);
      admin
          .post(JOBS, "{'metadata':{'name':'j'},'spec':{'template':{'spec':" + spec + "}}}")
          .expect(201);
      admin
          .post(
              JOB_SETS,
              "{'metadata':{'name':'s'},'spec':{'replicatedJobs':[{'name':'w','template':{'spec':"
                  + "{'template':{'spec':"
                  + spec
                  + "}}}}]}}")
          .expect(201);
    }

    try (var server = TestServer.start(directory, gates)) {
      var admin = server.admin(Carrier.IN_PROCESS);
      var label = "{'metadata':{'labels':{'a':'b'}}}";
      for (var path : new String[] {BASE + "/pods/p", JOBS + "/j", JOB_SETS + "/s"}) {
        var before = admin.get(path).expect(200).body();

        admin.merge(path, label).expect(200);
        if (!path.startsWith(JOB_SETS)) { // a custom resource knows no strategic merge
          admin.strategic(path, "{'metadata':{'labels':{'c':'d'}}}").expect(200);
        }
        var object = admin.get(path).body().deepCopy();
        ((com.fasterxml.jackson.databind.node.ObjectNode) object.at("/metadata/labels"))
            .put("e", "f");
        admin.put(path, object.toString()).expect(200);

        var after = admin.get(path).expect(200).body();
        assertThat(after.at("/spec")).isEqualTo(before.at("/spec"));
        assertThat(after.at("/metadata/labels/a").asText()).isEqualTo("b");
        assertThat(after.at("/metadata/labels/e").asText()).isEqualTo("f");
      }
      admin
          .strategic(BASE + "/pods/p/status", "{'status':{'message':'still reported'}}")
          .expect(200);
    }
  }
}
