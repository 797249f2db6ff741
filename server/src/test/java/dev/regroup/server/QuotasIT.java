package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.TestServer.Carrier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Quotas: what there is no room for is refused, whoever else wants it at the same moment. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class QuotasIT {
  private static final String BASE = "/api/v1/namespaces/default";

  @TempDir Path directory;
  private TestServer server;
  private Api admin;

  @BeforeEach
  void open() throws Exception {
    server = TestServer.start(directory);
    admin = server.admin(Carrier.IN_PROCESS);
    admin.post(BASE + "/serviceaccounts", "{'metadata':{'name':'default'}}").expect(201);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void is_not_known_before_it_was_counted() throws Exception {
    admin
        .post(BASE + "/resourcequotas", "{'metadata':{'name':'q'},'spec':{'hard':{'pods':'1'}}}")
        .expect(201);
    pod("before", "").expect(201);
    counted("q", "'pods':'1'", "");

    var refused = pod("after", "").expect(403);

    assertThat(refused.text("/message"))
        .isEqualTo("pods \"after\" is forbidden: status unknown for quota: q, resources: pods");
  }

  @Test
  void the_last_place_is_given_once() throws Exception {
    quota("q", "'pods':'5','count/pods':'10'", "'pods':'0','count/pods':'0'");
    var answers = new ArrayList<Future<Integer>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 20; i++) {
        var name = "p" + i;
        answers.add(threads.submit(() -> pod(name, "").status()));
      }
    }

    var codes = new ArrayList<Integer>();
    for (var answer : answers) {
      codes.add(answer.get());
    }
    assertThat(codes).containsOnly(201, 403);
    assertThat(codes.stream().filter(code -> code == 201)).hasSize(5);
    assertThat(admin.get(BASE + "/resourcequotas/q").text("/status/used/pods")).isEqualTo("5");
    assertThat(pod("one-more", "").expect(403).text("/message"))
        .isEqualTo(
            "pods \"one-more\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5,"
                + " limited: pods=5");
  }

  @Test
  void every_container_says_what_it_needs() throws Exception {
    quota(
        "q", "'limits.cpu':'2','requests.memory':'1Gi'", "'limits.cpu':'0','requests.memory':'0'");

    assertThat(pod("silent", "").expect(403).text("/message"))
        .isEqualTo(
            "pods \"silent\" is forbidden: failed quota: q: must specify limits.cpu for: c;"
                + " requests.memory for: c");
    pod("modest", "'limits':{'cpu':'1500m','memory':'512Mi'}").expect(201);
    assertThat(pod("greedy", "'limits':{'cpu':'1','memory':'512Mi'}").expect(403).text("/message"))
        .isEqualTo(
            "pods \"greedy\" is forbidden: exceeded quota: q, requested: limits.cpu=1, used:"
                + " limits.cpu=1500m, limited: limits.cpu=2");
  }

  @Test
  void scopes_say_which_pods_count() throws Exception {
    admin
        .post(
            BASE + "/resourcequotas",
            "{'metadata':{'name':'q'},'spec':{'hard':{'pods':'0'},'scopes':['NotBestEffort']}}")
        .expect(201);
    counted("q", "'pods':'0'", "'pods':'0'");

    pod("free", "").expect(201);
    pod("counted", "'limits':{'cpu':'1','memory':'1Mi'}").expect(403);
  }

  @Test
  void a_pod_that_gets_an_end_comes_under_another_quota() throws Exception {
    admin
        .post(
            BASE + "/resourcequotas",
            "{'metadata':{'name':'q'},'spec':{'hard':{'pods':'1'},'scopes':['Terminating']}}")
        .expect(201);
    counted("q", "'pods':'1'", "'pods':'0'");
    pod("a", "").expect(201);
    pod("b", "").expect(201);

    admin.merge(BASE + "/pods/a", "{'spec':{'activeDeadlineSeconds':100}}").expect(200);

    assertThat(admin.get(BASE + "/resourcequotas/q").text("/status/used/pods")).isEqualTo("1");
    admin.merge(BASE + "/pods/a", "{'metadata':{'labels':{'a':'b'}}}").expect(200);
    admin.merge(BASE + "/pods/b", "{'spec':{'activeDeadlineSeconds':100}}").expect(403);
  }

  @Test
  void other_kinds_are_counted_by_their_names() throws Exception {
    quota(
        "q",
        "'configmaps':'1','count/leases.coordination.k8s.io':'0'",
        "'configmaps':'0','count/leases.coordination.k8s.io':'0'");

    admin.post(BASE + "/configmaps?dryRun=All", "{'metadata':{'name':'dry'}}").expect(201);
    admin.post(BASE + "/configmaps", "{'metadata':{'name':'a'}}").expect(201);
    admin.post(BASE + "/configmaps", "{'metadata':{'name':'b'}}").expect(403);
    var leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    assertThat(admin.post(leases, "{'metadata':{'name':'l'}}").expect(403).text("/message"))
        .isEqualTo(
            "leases.coordination.k8s.io \"l\" is forbidden: exceeded quota: q, requested:"
                + " count/leases.coordination.k8s.io=1, used: count/leases.coordination.k8s.io=0,"
                + " limited: count/leases.coordination.k8s.io=0");
  }

  private void quota(String name, String hard, String used) throws Exception {
    admin
        .post(
            BASE + "/resourcequotas",
            "{'metadata':{'name':'%s'},'spec':{'hard':{%s}}}".formatted(name, hard))
        .expect(201);
    counted(name, hard, used);
  }

  /** What the controller would write. */
  private void counted(String name, String hard, String used) throws Exception {
    admin
        .merge(
            BASE + "/resourcequotas/" + name + "/status",
            "{'status':{'hard':{%s},'used':{%s}}}".formatted(hard, used))
        .expect(200);
  }

  private Api.Got pod(String name, String resources) throws Exception {
    return admin.post(
        BASE + "/pods",
        "{'metadata':{'name':'%s'},'spec':{'automountServiceAccountToken':false,".formatted(name)
            + "'containers':[{'name':'c','image':'i','resources':{%s}}]}}".formatted(resources));
  }
}
