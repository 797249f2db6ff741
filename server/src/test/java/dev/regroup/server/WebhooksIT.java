package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.server.TestServer.Carrier;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks: real HTTPS on loopback, kind and unkind. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class WebhooksIT {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String REGISTERED = "/apis/admissionregistration.k8s.io/v1/";

  @TempDir Path directory;
  private TestServer server;
  private TestWebhook webhook;
  private Api admin;

  @BeforeEach
  void open() throws Exception {
    server = TestServer.start(directory.resolve("server"));
    webhook = new TestWebhook(directory.resolve("webhook"));
    admin = server.admin(Carrier.IN_PROCESS);
  }

  @AfterEach
  void close() {
    webhook.close();
    server.close();
  }

  @Test
  void a_mutating_webhook_changes_what_is_stored() throws Exception {
    webhook.answers(
        "/m",
        _ -> TestWebhook.patched("[{'op':'add','path':'/metadata/labels','value':{'by':'hook'}}]"));
    register("mutating", "a", "/m", "");

    var made = create("x").expect(201);

    assertThat(made.text("/metadata/labels/by")).isEqualTo("hook");
    var request = webhook.asked.getFirst();
    assertThat(request.at("/operation").asText()).isEqualTo("CREATE");
    assertThat(request.at("/resource/resource").asText()).isEqualTo("configmaps");
    assertThat(request.at("/object/kind").asText()).isEqualTo("ConfigMap");
    assertThat(request.at("/userInfo/username").asText()).isEqualTo("kubernetes-admin");
    assertThat(request.at("/options/kind").asText()).isEqualTo("CreateOptions");
    assertThat(request.at("/dryRun").asBoolean()).isFalse();
  }

  @Test
  void is_asked_once_more_when_a_later_one_changed_the_object() throws Exception {
    webhook
        .answers("/first", _ -> TestWebhook.allowed())
        .answers(
            "/second", _ -> TestWebhook.patched("[{'op':'add','path':'/data','value':{'b':'2'}}]"));
    register("mutating", "a-first", "/first", ",'reinvocationPolicy':'IfNeeded'");
    register("mutating", "b-second", "/second", "");

    create("x").expect(201);

    assertThat(webhook.asked).hasSize(3);
    assertThat(webhook.asked.get(2).at("/object/data/b").asText()).isEqualTo("2");
  }

  @Test
  void a_validating_webhook_refuses_in_its_own_words() throws Exception {
    webhook.answers(
        "/v",
        _ -> {
          var said = Wire.object().put("allowed", false);
          said.putObject("status").put("message", "not today").put("code", 409);
          said.putArray("warnings").add("told you");
          return said;
        });
    register("validating", "a", "/v", "");

    var refused = create("x").expect(409);

    assertThat(refused.text("/message"))
        .isEqualTo("admission webhook \"a.example.com\" denied the request: not today");
    admin.get(MAPS + "/x").expect(404);
  }

  @Test
  void warnings_reach_the_client() throws Exception {
    webhook.answers(
        "/v",
        _ -> {
          var said = TestWebhook.allowed();
          said.putArray("warnings").add("be careful");
          return said;
        });
    register("validating", "a", "/v", "");

    var made = create("x").expect(201);

    assertThat(made.response().headers().all("warning")).containsExactly("299 - \"be careful\"");
  }

  @Test
  void deletes_are_asked_about_too() throws Exception {
    create("x").expect(201);
    webhook.answers(
        "/v", request -> Wire.object().put("allowed", !request.path("object").isNull()));
    register("validating", "a", "/v", "");

    var refused = admin.delete(MAPS + "/x").expect(400);

    assertThat(refused.text("/message"))
        .isEqualTo("admission webhook \"a.example.com\" denied the request without explanation");
    assertThat(webhook.asked.getFirst().at("/oldObject/metadata/name").asText()).isEqualTo("x");
    admin.get(MAPS + "/x").expect(200);
  }

  @Test
  void a_dry_run_is_called_one() throws Exception {
    webhook.answers("/v", _ -> TestWebhook.allowed());
    register("validating", "a", "/v", "");

    admin.post(MAPS + "?dryRun=All", "{'metadata':{'name':'x'}}").expect(201);

    assertThat(webhook.asked.getFirst().at("/dryRun").asBoolean()).isTrue();
  }

  @Test
  void conditions_and_selectors_leave_it_alone() throws Exception {
    webhook.answers("/v", _ -> Wire.object().put("allowed", false));
    register(
        "validating",
        "a",
        "/v",
        ",'matchConditions':[{'name':'c','expression':'object.metadata.name != request.name'}]");
    register("validating", "b", "/v", ",'objectSelector':{'matchLabels':{'no':'body'}}");

    create("x").expect(201);

    assertThat(webhook.asked).isEmpty();
  }

  @Test
  void a_webhook_that_breaks_obeys_its_failure_policy() throws Exception {
    webhook.says("/broken", 500, "oops").says("/garbage", 200, "{'no': json");
    register("validating", "a", "/broken", "");

    var refused = create("x").expect(500);
    assertThat(refused.text("/reason")).isEqualTo("InternalError");
    assertThat(refused.text("/message"))
        .startsWith(
            "Internal error occurred: failed calling webhook \"a.example.com\": failed to call"
                + " webhook: ");

    register("validating", "a", "/garbage", "");
    create("x").expect(500);
    register("validating", "a", "/broken", ",'failurePolicy':'Ignore'");
    create("x").expect(201);
  }

  @Test
  void an_answer_to_another_question_is_none() throws Exception {
    webhook.says(
        "/v",
        200,
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
            + "\"response\":{\"uid\":\"other\",\"allowed\":true}}");
    register("validating", "a", "/v", "");

    var refused = create("x").expect(500);

    assertThat(refused.text("/message")).contains("expected response.uid=");
  }

  @Test
  void a_slow_webhook_is_given_up() throws Exception {
    var end = new CountDownLatch(1);
    webhook.at(
        "/slow",
        _ -> {
          try {
            var _ = end.await(30, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return "{}";
        },
        200);
    register("validating", "a", "/slow", ",'timeoutSeconds':1");

    var refused = create("x").expect(500);
    end.countDown();

    assertThat(refused.text("/message")).endsWith("/slow?timeout=1s\": context deadline exceeded");
  }

  @Test
  void nobody_is_trusted_whom_the_configuration_does_not_name() throws Exception {
    webhook.answers("/v", _ -> TestWebhook.allowed());
    register("validating", "a", "/v", "", "");

    var refused = create("x").expect(500);

    assertThat(refused.text("/message")).contains("certificate signed by unknown authority");
    assertThat(webhook.asked).isEmpty();
  }

  /** Endpoints cannot be on loopback, so it listens on another address of this machine. */
  @Test
  void a_service_leads_to_an_endpoint_that_is_ready() throws Exception {
    var address = otherThanLoopback();
    try (var inside = new TestWebhook(directory.resolve("inside"), address)) {
      inside.answers("/in", _ -> Wire.object().put("allowed", false));
      admin
          .post(
              "/api/v1/namespaces/default/services",
              "{'metadata':{'name':'kubernetes'},'spec':{'ports':[{'name':'https','port':8443}]}}")
          .expect(201);
      var there = REGISTERED + "validatingwebhookconfigurations";
      var reference =
          "'service':{'namespace':'default','name':'kubernetes','path':'/in','port':8443}";
      admin
          .post(
              there,
              configuration("a", "", "", inside.authority()).replaceAll("'url':'[^']*'", reference))
          .expect(201);

      var nowhere = create("x").expect(500);
      endpoints(address.getHostAddress(), inside.port());
      var refused = create("x").expect(400);

      assertThat(nowhere.text("/message"))
          .contains("https://kubernetes.default.svc:8443/in?timeout=10s")
          .endsWith("no endpoints available for service \"kubernetes\"");
      assertThat(refused.text("/message"))
          .isEqualTo("admission webhook \"a.example.com\" denied the request without explanation");
      assertThat(inside.asked).hasSize(1);
    }
  }

  /** Two slices, of which one has nobody that is ready. */
  private void endpoints(String address, int port) throws Exception {
    for (var ready : java.util.List.of(false, true)) {
      admin
          .post(
              "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
              ("{'metadata':{'name':'k-%1$s','labels':{'kubernetes.io/service-name':'kubernetes'}},"
                      + "'addressType':'IPv4','ports':[{'name':'https','port':%2$d}],"
                      + "'endpoints':[{'addresses':['%3$s'],'conditions':{'ready':%1$s}}]}")
                  .formatted(ready, ready ? port : 1, ready ? address : "192.0.2.1"))
          .expect(201);
    }
  }

  /** Of the oldest interface: younger ones come and go with tests of other programs. */
  private static InetAddress otherThanLoopback() throws Exception {
    return NetworkInterface.networkInterfaces()
        .filter(one -> one.getIndex() > 0) // not gone meanwhile
        .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
        .flatMap(NetworkInterface::inetAddresses)
        .filter(one -> one instanceof Inet4Address)
        .filter(one -> !one.isLoopbackAddress() && !one.isLinkLocalAddress())
        .findFirst()
        .orElseGet(() -> Assumptions.abort("this machine has loopback only"));
  }

  @Test
  void configurations_themselves_can_always_be_changed() throws Exception {
    webhook.says("/broken", 500, "");
    admin
        .post(
            REGISTERED + "validatingwebhookconfigurations",
            configuration("all", "/broken", "", webhook.authority()).replace("configmaps", "*"))
        .expect(201);

    create("x").expect(500);
    admin.delete(REGISTERED + "validatingwebhookconfigurations/all").expect(200);
    create("x").expect(201);
  }

  private Api.Got create(String name) throws Exception {
    return admin.post(MAPS, "{'metadata':{'name':'" + name + "'}}");
  }

  private void register(String power, String name, String path, String more) throws Exception {
    register(power, name, path, more, webhook.authority());
  }

  private void register(String power, String name, String path, String more, String authority)
      throws Exception {
    var there = REGISTERED + power + "webhookconfigurations";
    admin.delete(there + "/" + name);
    admin.post(there, configuration(name, path, more, authority)).expect(201);
  }

  private String configuration(String name, String path, String more, String authority) {
    var trust = authority.isEmpty() ? "" : ",'caBundle':'" + authority + "'";
    return ("{'metadata':{'name':'%s'},'webhooks':[{'name':'%s.example.com','sideEffects':'None',"
            + "'admissionReviewVersions':['v1'],'clientConfig':{'url':'%s'%s},"
            + "'rules':[{'apiGroups':['*'],'apiVersions':['*'],"
            + "'operations':['CREATE','UPDATE','DELETE'],'resources':['configmaps']}]%s}]}")
        .formatted(name, name, webhook.url(path), trust, more);
  }
}
