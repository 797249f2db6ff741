package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.TestServer.Carrier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Validating admission policies, among them the one that keeps an agent to its annotation. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class PoliciesIT {
  private static final String BASE = "/api/v1/namespaces/default";
  private static final String REGISTERED = "/apis/admissionregistration.k8s.io/v1/";
  private static final String ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt";
  private static final Path RIGHTS = Path.of("../examples/kep/kep-467-agent-rights.yaml");

  @TempDir Path directory;
  private TestServer server;
  private Api admin;

  @BeforeEach
  void open() throws Exception {
    start();
  }

  private void start() throws Exception {
    server = TestServer.start(directory);
    admin = server.admin(Carrier.IN_PROCESS);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void an_agent_can_change_one_annotation_of_its_own_pod_and_nothing_else() throws Exception {
    applyRights();
    pod("own");
    pod("other");
    var agent = server.withToken(boundToken("own"));

    agent.merge(BASE + "/pods/own", annotation(ATTEMPT, "1")).expect(200);
    agent.merge(BASE + "/pods/own", annotation(ATTEMPT, "2")).expect(200);

    var denied = agent.merge(BASE + "/pods/own", annotation("else", "1")).expect(422);
    assertThat(denied.text("/message"))
        .isEqualTo(
            "pods \"own\" is forbidden: ValidatingAdmissionPolicy"
                + " 'update-only-attempt-pod-annotation' with binding"
                + " 'update-only-attempt-pod-annotation-binding' denied request: ServiceAccount"
                + " 'jobset-in-place-restart' can only update the Pod annotation '"
                + ATTEMPT
                + "'.");
    agent.merge(BASE + "/pods/own", "{'metadata':{'labels':{'l':'2'}}}").expect(422);
    agent.merge(BASE + "/pods/own", annotation("kept", "2")).expect(422);
    agent.merge(BASE + "/pods/own", "{'metadata':{'annotations':{'kept':null}}}").expect(422);
    agent
        .strategic(BASE + "/pods/own", "{'spec':{'containers':[{'name':'c','image':'evil'}]}}")
        .expect(422);
    agent.merge(BASE + "/pods/other", annotation(ATTEMPT, "1")).expect(422);
    agent.merge(BASE + "/pods/own", "{'metadata':{'finalizers':['example.com/x']}}").expect(422);
    agent.merge(BASE + "/pods/own/status", "{'status':{'phase':'Failed'}}").expect(403);
    agent.delete(BASE + "/pods/own").expect(403);
    agent.get(BASE + "/pods/own").expect(403);
    agent.get(BASE + "/secrets").expect(403);

    var pod = admin.get(BASE + "/pods/own").expect(200);
    assertThat(pod.body().at("/metadata/annotations").size()).isEqualTo(2);
    assertThat(pod.body().at("/metadata/annotations").path(ATTEMPT).asText()).isEqualTo("2");
  }

  /** JS-149d, AS-69. */
  @Test
  void an_agent_can_write_nothing_that_is_no_attempt_and_no_jobset() throws Exception {
    applyRights();
    pod("own");
    admin
        .post(
            "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets",
            "{'metadata':{'name':'js'},'spec':{'replicatedJobs':[]}}")
        .expect(201);
    var agent = server.withToken(boundToken("own"));

    for (String wrong : List.of("-1", "1.5", "x", "", "01", "99999999999", "1000000000")) {
      var denied = agent.merge(BASE + "/pods/own", annotation(ATTEMPT, wrong)).expect(422);
      assertThat(denied.text("/message")).endsWith("An attempt is a number from 0 to 999999999.");
    }
    agent.merge(BASE + "/pods/own", annotation(ATTEMPT, "999999999")).expect(200);
    agent.get("/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets/js").expect(200);
    for (String part : List.of("", "/status")) {
      agent
          .merge(
              "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets/js" + part,
              "{'metadata':{'labels':{'a':'b'}},'status':{'restarts':7}}")
          .expect(403);
    }
  }

  @Test
  void policies_hold_after_a_restart() throws Exception {
    policy("p", "!('bad' in object.data)", "");
    binding("p", "'validationActions':['Deny']");
    configMap("x", "bad").expect(422);

    server.close();
    start();

    configMap("x", "bad").expect(422);
    configMap("x", "good").expect(201);
  }

  @Test
  void a_policy_without_binding_says_nothing_and_one_with_both_is_gone_with_either()
      throws Exception {
    policy("p", "false", "");
    configMap("a", "x").expect(201);
    binding("p", "'validationActions':['Deny']");
    configMap("b", "x").expect(422);

    admin.delete(REGISTERED + "validatingadmissionpolicybindings/p").expect(200);

    configMap("b", "x").expect(201);
  }

  @Test
  void deletes_see_the_old_object_only() throws Exception {
    policy("p", "object == null && oldObject.metadata.name != 'kept'", "'DELETE'");
    binding("p", "'validationActions':['Deny']");
    configMap("kept", "x").expect(201);
    configMap("free", "x").expect(201);

    admin.delete(BASE + "/configmaps/free").expect(200);
    admin.delete(BASE + "/configmaps/kept").expect(422);
    admin.get(BASE + "/configmaps/kept").expect(200);
  }

  @Test
  void the_rights_of_the_asker_and_of_others_can_be_asked_for() throws Exception {
    policy(
        "p",
        "authorizer.group('').resource('configmaps').namespace('default').check('create').allowed()"
            + " && !authorizer.serviceAccount('default', 'default').group('').resource('secrets')"
            + ".namespace('default').check('get').allowed()"
            + " && authorizer.requestResource.check('delete').allowed()"
            + " && namespaceObject.metadata.name == 'default'"
            + " && request.userInfo.groups.exists(g, g == 'system:masters')",
        "");
    binding("p", "'validationActions':['Deny']");

    configMap("x", "a").expect(201);
  }

  @Test
  void other_forms_of_a_kind_are_as_good() throws Exception {
    admin
        .post(
            REGISTERED + "validatingadmissionpolicies",
            "{'metadata':{'name':'p'},'spec':{'matchConstraints':{'resourceRules':[{"
                + "'apiGroups':['events.k8s.io'],'apiVersions':['v1'],'operations':['CREATE'],'resources':['events']}]},'validations':[{'expression':'object.note.size()"
                + " != 2'}]}}")
        .expect(201);
    binding("p", "'validationActions':['Deny']");
    var event =
        "{'metadata':{'name':'%s'},'involvedObject':{'kind':'Pod','namespace':'default','name':'p'},"
            + "'message':'%s'}";

    admin.post(BASE + "/events", event.formatted("e", "no")).expect(422);
    admin.post(BASE + "/events", event.formatted("e", "yes")).expect(201);
  }

  @Test
  void evictions_and_bindings_and_talks_are_asked_about() throws Exception {
    admin.post(BASE + "/serviceaccounts", "{'metadata':{'name':'jobset-in-place-restart'}}");
    pod("p");
    admin
        .post(
            REGISTERED + "validatingadmissionpolicies",
            "{'metadata':{'name':'p'},'spec':{'matchConstraints':{'resourceRules':[{"
                + "'apiGroups':[''],'apiVersions':['v1'],'operations':['CREATE','CONNECT'],"
                + "'resources':['pods/eviction','pods/binding','pods/exec']}]},"
                + "'validations':[{'expression':'false',"
                + "'messageExpression':'request.operation + object.kind + request.name'}]}}")
        .expect(201);
    binding("p", "'validationActions':['Deny']");

    assertThat(
            admin
                .post(BASE + "/pods/p/eviction", "{'metadata':{'name':'p'}}")
                .expect(422)
                .text("/message"))
        .endsWith("denied request: CREATEEvictionp");
    assertThat(
            admin
                .post(
                    BASE + "/pods/p/binding",
                    "{'metadata':{'name':'p'},'target':{'kind':'Node','name':'n'}}")
                .expect(422)
                .text("/message"))
        .endsWith("denied request: CREATEBindingp");
    assertThat(
            admin
                .post(BASE + "/pods/p/exec?command=ls&container=c", "")
                .expect(422)
                .text("/message"))
        .endsWith("denied request: CONNECTPodExecOptionsp");
  }

  @Test
  void a_variable_that_fails_says_so() throws Exception {
    admin
        .post(
            REGISTERED + "validatingadmissionpolicies",
            "{'metadata':{'name':'p'},'spec':{'matchConstraints':{'resourceRules':[{"
                + "'apiGroups':[''],'apiVersions':['v1'],'operations':['CREATE'],"
                + "'resources':['configmaps']}]},"
                + "'variables':[{'name':'v','expression':'object.nope'}],"
                + "'validations':[{'expression':'variables.v == 1'}]}}")
        .expect(201);
    binding("p", "'validationActions':['Deny']");

    assertThat(configMap("x", "a").expect(422).text("/message"))
        .endsWith("composited variable \"v\" fails to evaluate: no such key: nope");
  }

  private Api.Got configMap(String name, String key) throws Exception {
    return admin.post(
        BASE + "/configmaps", "{'metadata':{'name':'%s'},'data':{'%s':'1'}}".formatted(name, key));
  }

  private void policy(String name, String expression, String operations) throws Exception {
    var policy =
        "{'metadata':{'name':'%s'},'spec':{'matchConstraints':{'resourceRules':[{'apiGroups':[''],"
            + "'apiVersions':['v1'],'operations':[%s],'resources':['configmaps']}]},"
            + "'validations':[{'expression':\"%s\"}]}}";
    admin
        .send(
            dev.regroup.client.Request.of(
                "POST",
                REGISTERED + "validatingadmissionpolicies",
                "application/json",
                policy
                    .replace('\'', '"')
                    .formatted(
                        name,
                        operations.isEmpty()
                            ? "\"CREATE\",\"UPDATE\""
                            : operations.replace('\'', '"'),
                        expression)
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8)))
        .expect(201);
  }

  private void binding(String policy, String more) throws Exception {
    admin
        .post(
            REGISTERED + "validatingadmissionpolicybindings",
            "{'metadata':{'name':'%s'},'spec':{'policyName':'%s',%s}}"
                .formatted(policy, policy, more))
        .expect(201);
  }

  private void applyRights() throws Exception {
    for (var document : Files.readString(RIGHTS).split("(?m)^---$")) {
      var path =
          switch (document
              .lines()
              .filter(line -> line.startsWith("kind: "))
              .findFirst()
              .orElse("")) {
            case "kind: ServiceAccount" -> BASE + "/serviceaccounts";
            case "kind: Role" -> "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
            case "kind: RoleBinding" ->
                "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
            case "kind: ValidatingAdmissionPolicy" -> REGISTERED + "validatingadmissionpolicies";
            default -> REGISTERED + "validatingadmissionpolicybindings";
          };
      admin
          .send(
              dev.regroup.client.Request.of(
                  "POST",
                  path,
                  "application/yaml",
                  document.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
          .expect(201);
    }
  }

  private void pod(String name) throws Exception {
    admin
        .post(
            BASE + "/pods",
            "{'metadata':{'name':'%s','labels':{'l':'1'},'annotations':{'kept':'1'}},"
                    .formatted(name)
                + "'spec':{'serviceAccountName':'jobset-in-place-restart',"
                + "'automountServiceAccountToken':false,"
                + "'containers':[{'name':'c','image':'i'}]}}")
        .expect(201);
  }

  private String boundToken(String pod) throws Exception {
    return admin
        .post(
            BASE + "/serviceaccounts/jobset-in-place-restart/token",
            "{'spec':{'boundObjectRef':{'apiVersion':'v1','kind':'Pod','name':'%s'}}}"
                .formatted(pod))
        .expect(201)
        .text("/status/token");
  }

  private static String annotation(String key, String value) {
    return "{'metadata':{'annotations':{'%s':'%s'}}}".formatted(key, value);
  }
}
