package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.client.Request;
import dev.regroup.server.access.Identity;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what in a running server: roles, nodes, and the parts of the program itself. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class RightsIT {
  private static final String BASE = "/api/v1/namespaces/default";
  private static final String RIGHTS = "/apis/rbac.authorization.k8s.io/v1/";
  private static final String UID = "/metadata/uid";
  private static final String HERE = RIGHTS + "namespaces/default/";
  private static final String READER =
      "{'metadata':{'name':'reader'},'rules':[{'apiGroups':[''],'resources':['secrets'],"
          + "'verbs':['get','list']}]}";

  @TempDir Path directory;
  private ApiServer server;
  private Api admin;

  @BeforeEach
  void open() throws Exception {
    server = start();
    admin = new Api(server.inProcess(Identity.admin()));
  }

  private ApiServer start() throws Exception {
    return ApiServer.start(
        new ApiServer.Settings(
            TestServer.certified(directory),
            0,
            Gates.upstream(),
            InstantSource.system(),
            new Random(7)));
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void a_right_begins_with_the_answer_that_grants_it_and_ends_with_the_one_that_takes_it()
      throws Exception {
    as("alice", "GET", BASE + "/secrets").expect(403);

    admin.post(HERE + "roles", READER).expect(201);
    admin.post(HERE + "rolebindings", binding("b", "Role", "reader", "alice")).expect(201);
    as("alice", "GET", BASE + "/secrets").expect(200);
    as("alice", "GET", "/api/v1/secrets").expect(403);
    as("alice", "DELETE", BASE + "/secrets/s").expect(403);

    admin.merge(HERE + "roles/reader", "{'rules':[]}").expect(200);
    as("alice", "GET", BASE + "/secrets").expect(403);

    admin.put(HERE + "roles/reader", READER).expect(200);
    as("alice", "GET", BASE + "/secrets").expect(200);
    admin.delete(HERE + "rolebindings/b").expect(200);
    as("alice", "GET", BASE + "/secrets").expect(403);
  }

  @Test
  void parts_of_the_program_need_no_role_but_may_not_speak_for_others() throws Exception {
    admin.delete(RIGHTS + "clusterroles/system:controller:job-controller").expect(200);
    var jobs = server.inProcess(Identity.controller("job-controller"));

    assertThat(jobs.send(Request.get(BASE + "/pods", "")).status()).isEqualTo(200);
    var other = Request.get(BASE + "/pods", "").withHeader("impersonate-user", "alice");
    assertThat(jobs.send(other).status()).isEqualTo(403);
    assertThat(server.inProcess(Identity.of("alice")).send(Request.get(BASE, "")).status())
        .isEqualTo(403);
  }

  @Test
  void a_default_role_comes_back_with_the_next_start_unless_it_shall_not() throws Exception {
    var view = RIGHTS + "clusterroles/system:basic-user";
    var discovery = RIGHTS + "clusterroles/system:discovery";
    admin.delete(view).expect(200);
    admin
        .merge(
            discovery,
            "{'rules':[],'metadata':{'annotations':"
                + "{'rbac.authorization.kubernetes.io/autoupdate':'false'}}}")
        .expect(200);

    server.close();
    server = start();
    admin = new Api(server.inProcess(Identity.admin()));

    admin.get(view).expect(200);
    assertThat(admin.get(discovery).expect(200).body().path("rules")).isEmpty();
  }

  @Test
  void a_node_gives_itself_no_labels_that_others_steer_pods_by() throws Exception {
    admin
        .post("/api/v1/nodes", "{'metadata':{'name':'a','labels':{'k8s.io/role':'x'}}}")
        .expect(201);

    label("node.kubernetes.io/instance-type", "big").expect(200);
    label("kubernetes.io/hostname", "a").expect(200);
    label("example.org/anything", "x").expect(200);
    assertThat(label("node-restriction.kubernetes.io/vault", "x").expect(403).text("/message"))
        .endsWith(
            "node \"a\" is not allowed to modify labels: node-restriction.kubernetes.io/vault");
    label("x.node-restriction.kubernetes.io/vault", "x").expect(403);
    label("node-role.kubernetes.io/control-plane", "").expect(403);
    label("k8s.io/role", "y").expect(403);
    label("k8s.io/role", "x").expect(200);
    assertThat(
            send(
                    "system:node:b",
                    "POST",
                    "/api/v1/nodes",
                    "{'metadata':{'name':'b','labels':{'k8s.io/b':'','k8s.io/a':''}}}")
                .expect(403)
                .text("/message"))
        .endsWith("node \"b\" is not allowed to set the following labels: k8s.io/a, k8s.io/b");
  }

  private Api.Got label(String key, String value) throws Exception {
    return send(
        "system:node:a",
        "PATCH",
        "/api/v1/nodes/a",
        "{'metadata':{'labels':{'%s':'%s'}}}".formatted(key, value));
  }

  @Test
  void a_node_reads_and_writes_what_is_its_own() throws Exception {
    admin.post(BASE + "/serviceaccounts", "{'metadata':{'name':'default'}}").expect(201);
    for (var node : new String[] {"a", "b"}) {
      admin.post("/api/v1/nodes", "{'metadata':{'name':'%s'}}".formatted(node)).expect(201);
      admin.post(BASE + "/secrets", "{'metadata':{'name':'s-%s'}}".formatted(node)).expect(201);
      admin.post(BASE + "/pods", pod(node)).expect(201);
    }

    asNode("a", "GET", BASE + "/secrets/s-a").expect(200);
    assertThat(asNode("a", "GET", BASE + "/secrets/s-b").expect(403).text("/message"))
        .endsWith("no relationship found between node 'a' and this object");
    asNode("a", "GET", BASE + "/secrets").expect(403);
    asNode("a", "GET", BASE + "/pods/p-a").expect(200);
    asNode("a", "GET", BASE + "/pods/p-b").expect(403);
    asNode("a", "GET", "/api/v1/pods").expect(403);
    asNode("a", "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Da").expect(200);
    asNode("a", "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Db").expect(403);
    asNode("a", "GET", "/api/v1/nodes/a").expect(200);
    asNode("a", "GET", "/api/v1/nodes/b").expect(403);
    asNode("a", "DELETE", BASE + "/pods/p-b").expect(403);
    send("system:node:a", "PATCH", BASE + "/pods/p-b/status", "{}").expect(403);
    send("system:node:a", "PATCH", BASE + "/pods/p-a/status", "{}").expect(200);
    send("system:node:a", "POST", "/api/v1/nodes", "{'metadata':{'name':'c'}}").expect(403);
    send("system:node:a", "POST", BASE + "/pods", pod("x")).expect(403);
    var leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    send("system:node:a", "POST", leases, "{'metadata':{'name':'a'}}").expect(201);
    send("system:node:a", "POST", leases, "{'metadata':{'name':'b'}}").expect(403);

    var tokens = BASE + "/serviceaccounts/default/token";
    send("system:node:a", "POST", tokens, boundTo("p-a")).expect(201);
    send("system:node:a", "POST", tokens, boundTo("p-b")).expect(403);
    send("system:node:a", "POST", tokens, "{'spec':{}}").expect(403);

    admin.delete(BASE + "/pods/p-a", "{'gracePeriodSeconds':0}").expect(200);
    asNode("a", "GET", BASE + "/secrets/s-a").expect(403);
  }

  /** Whatever a pod of the node names, the node may read: so it may not name anything itself. */
  @Test
  void a_node_cannot_help_itself_to_what_belongs_to_others() throws Exception {
    for (var account : new String[] {"default", "mine", "other"}) {
      admin
          .post(BASE + "/serviceaccounts", "{'metadata':{'name':'%s'}}".formatted(account))
          .expect(201);
    }
    admin.post(BASE + "/secrets", "{'metadata':{'name':'s-b'}}").expect(201);
    admin.post(BASE + "/configmaps", "{'metadata':{'name':'m-b'}}").expect(201);
    admin
        .post(
            BASE + "/pods",
            "{'metadata':{'name':'p-a'},'spec':{'nodeName':'a',"
                + "'serviceAccountName':'mine','containers':[{'name':'c','image':'i'}]}}")
        .expect(201);
    var uid = admin.post("/api/v1/nodes", "{'metadata':{'name':'a'}}").expect(201).text(UID);

    asNode("a", "GET", BASE + "/serviceaccounts/mine").expect(200);
    asNode("a", "GET", BASE + "/serviceaccounts/other").expect(403);
    var secret = "'volumes':[{'name':'v','secret':{'secretName':'s-b'}}],";
    var projected =
        "'volumes':[{'name':'v','projected':{'sources':[{'serviceAccountToken':"
            + "{'path':'t'}}]}}],";
    assertThat(mirror(uid, "'serviceAccountName':'other',"))
        .endsWith("a mirror pod may not reference service accounts");
    assertThat(mirror(uid, secret)).endsWith("a mirror pod may not reference secrets");
    assertThat(mirror(uid, projected))
        .endsWith("a mirror pod may not use ServiceAccountToken volume projections");
    assertThat(mirror(uid, "'volumes':[{'name':'v','configMap':{'name':'m-b'}}],"))
        .endsWith("node \"a\" can not create pods that reference configmaps");
    assertThat(mirror(uid, "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}],"))
        .endsWith("node \"a\" can not create pods that reference persistentvolumeclaims");
    assertThat(mirror("11111111-2222-3333-4444-555555555555", ""))
        .contains("node a UID mismatch: expected 11111111-2222-3333-4444-555555555555 got " + uid);
    asNode("a", "GET", BASE + "/secrets/s-b").expect(403);
    asNode("a", "GET", BASE + "/configmaps/m-b").expect(403);

    assertThat(mirror(uid, "")).isEmpty();
    var made = asNode("a", "GET", BASE + "/pods/mirror").expect(200);
    assertThat(made.body().at("/spec").has("serviceAccountName")).isFalse();
    assertThat(made.body().at("/spec").has("volumes")).isFalse();
  }

  /** Tries to make a mirror pod; returns why not, or nothing when it is made. */
  private String mirror(String nodeUid, String spec) throws Exception {
    var made =
        send(
            "system:node:a",
            "POST",
            BASE + "/pods",
            ("{'metadata':{'name':'mirror','annotations':{'kubernetes.io/config.mirror':'x'},"
                    + "'ownerReferences':[{'apiVersion':'v1','kind':'Node','name':'a',"
                    + "'controller':true,'uid':'%s'}]},'spec':{'nodeName':'a',%s"
                    + "'containers':[{'name':'c','image':'i'}]}}")
                .formatted(nodeUid, spec));
    return made.status() == 201 ? "" : made.expect(403).text("/message");
  }

  @Test
  void who_speaks_for_others_needs_the_right_to_that_very_user() throws Exception {
    admin
        .post(
            RIGHTS + "clusterroles",
            "{'metadata':{'name':'speaker'},'rules':[{'apiGroups':[''],'resources':['users'],"
                + "'resourceNames':['bob'],'verbs':['impersonate']}]}")
        .expect(201);
    admin
        .post(RIGHTS + "clusterrolebindings", binding("speaker", "ClusterRole", "speaker", "alice"))
        .expect(201);
    admin.post(HERE + "roles", READER).expect(201);
    admin.post(HERE + "rolebindings", binding("b", "Role", "reader", "bob")).expect(201);

    aliceAs("impersonate-user", "bob").expect(200);
    for (var other : new String[] {"carol", "system:serviceaccount:default:bob"}) {
      assertThat(aliceAs("impersonate-user", other).expect(403).text("/message"))
          .contains("User \"alice\" cannot impersonate resource");
    }
    for (var more :
        new String[] {"impersonate-group", "impersonate-uid", "impersonate-extra-scopes"}) {
      assertThat(aliceAs("impersonate-user", "bob", more, "x").expect(403).text("/message"))
          .contains("User \"alice\" cannot impersonate resource");
    }
    assertThat(aliceAs().expect(403).text("/message"))
        .contains("User \"alice\" cannot list resource");
  }

  private Api.Got aliceAs(String... headers) throws Exception {
    var request = Request.get(BASE + "/secrets", "");
    for (int i = 0; i < headers.length; i += 2) {
      request = request.withHeader(headers[i], headers[i + 1]);
    }
    return new Api(server.inProcess(Identity.of("alice"))).send(request);
  }

  private static String boundTo(String pod) {
    return "{'spec':{'boundObjectRef':{'apiVersion':'v1','kind':'Pod','name':'%s'}}}"
        .formatted(pod);
  }

  private static String pod(String node) {
    return ("{'metadata':{'name':'p-%1$s'},'spec':{'nodeName':'%1$s',"
            + "'automountServiceAccountToken':false,'containers':[{'name':'c','image':'i',"
            + "'envFrom':[{'secretRef':{'name':'s-%1$s'}}]}]}}")
        .formatted(node);
  }

  private Api.Got as(String user, String method, String path) throws Exception {
    return send(user, method, path, "");
  }

  private Api.Got asNode(String node, String method, String path) throws Exception {
    return as("system:node:" + node, method, path);
  }

  private Api.Got send(String user, String method, String path, String body) throws Exception {
    var type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
    var request =
        Api.request(method, path, body.isEmpty() ? "" : type, body)
            .withHeader("impersonate-user", user);
    return admin.send(
        user.startsWith("system:node:")
            ? request.withHeader("impersonate-group", "system:nodes")
            : request);
  }

  private static String binding(String name, String kind, String role, String user) {
    return ("{'metadata':{'name':'%s'},'roleRef':{'kind':'%s','name':'%s'},"
            + "'subjects':[{'kind':'User','name':'%s'}]}")
        .formatted(name, kind, role, user);
  }
}
