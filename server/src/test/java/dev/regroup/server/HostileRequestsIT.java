package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import dev.regroup.server.TestServer.Carrier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small requests that ask for much work. Those that mean nothing are in {@link FuzzIT}. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileRequestsIT {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String JSON_PATCH = "application/json-patch+json";

  @TempDir static Path directory;
  private static TestServer server;
  private static Api admin;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.start(directory);
    admin = server.admin(Carrier.IN_PROCESS);
    admin.post(MAPS, "{'metadata':{'name':'m'},'data':{'x':'0123456789'}}").expect(201);
    admin
        .post("/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'default'}}")
        .expect(201);
    admin
        .post(
            "/api/v1/namespaces/default/pods",
            "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}")
        .expect(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void copies_that_double_each_time_are_stopped() throws Exception {
    var operations = new StringBuilder("[");
    for (int i = 0; i < 41; i++) {
      operations.append("{'op':'copy','from':'/data','path':'/data/k").append(i).append("'},");
    }
    operations.append("{'op':'test','path':'/x','value':1}]");

    var got = admin.send("PATCH", MAPS + "/m", JSON_PATCH, operations.toString()).expect(422);

    assertThat(got.text("/message"))
        .isEqualTo("the server rejected our request due to an error in our request");
  }

  @Test
  void a_json_patch_has_at_most_ten_thousand_operations() throws Exception {
    var one = "{'op':'test','path':'/metadata/name','value':'m'}";
    var most = "[" + (one + ",").repeat(9_999) + one + "]";
    var more = "[" + (one + ",").repeat(10_000) + one + "]";

    admin.send("PATCH", MAPS + "/m", JSON_PATCH, most).expect(200);
    var got = admin.send("PATCH", MAPS + "/m", JSON_PATCH, more).expect(413);

    assertThat(got.text("/reason")).isEqualTo("RequestEntityTooLarge");
    assertThat(got.text("/message"))
        .isEqualTo(
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000,"
                + " got 10001");
  }

  @Test
  void what_nests_too_deep_is_refused() throws Exception {
    int levels = 200_000;
    var json = "{'a':".repeat(levels) + "1" + "}".repeat(levels);
    var list = "[".repeat(levels) + "]".repeat(levels);

    admin.post(MAPS, json).expect(400);
    admin.merge(MAPS + "/m", json).expect(400);
    admin.strategic(MAPS + "/m", json).expect(400);
    admin.send("PATCH", MAPS + "/m", JSON_PATCH, list).expect(400);
    admin.delete(MAPS + "/m", json).expect(400);
    for (var yaml : List.of(list, "{a: ".repeat(levels), "- ".repeat(levels) + "x")) {
      var got = admin.send("POST", MAPS, "application/yaml", yaml).expect(400);
      assertThat(got.text("/message")).contains("exceeded max depth");
    }
  }

  @Test
  void aliases_cannot_make_a_small_text_large() throws Exception {
    var yaml = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 12; i++) {
      var before = "*a" + (i - 1);
      yaml.append("a%d: &a%d [%s]\n".formatted(i, i, (before + ",").repeat(9) + before));
    }

    admin.send("POST", MAPS, "application/yaml", yaml.toString()).expect(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1E9999999999999", "1e400", "-1E999999999"})
  void a_number_no_computer_holds_is_refused(String number) throws Exception {
    var body = "{'metadata':{'name':'n','generation':" + number + "}}";

    assertThat(admin.post(MAPS, body).expect(400).text("/message")).contains(number);
    admin.merge(MAPS + "/m", body).expect(400);
    admin.strategic(MAPS + "/m", body).expect(400);
    admin
        .send(
            "PATCH",
            MAPS + "/m",
            JSON_PATCH,
            "[{'op':'add','path':'/metadata/generation','value':" + number + "}]")
        .expect(400);
  }

  @Test
  void a_quantity_of_a_million_digits_is_refused_at_once() throws Exception {
    var pod =
        "{'metadata':{'name':'q'},'spec':{'containers':[{'name':'c','image':'i','resources':"
            + "{'limits':{'cpu':'%s'}}}]}}";

    admin.post("/api/v1/namespaces/default/pods", pod.formatted("9".repeat(1_000_000))).expect(400);
  }

  @Test
  void patches_cannot_make_an_object_larger_than_a_body_can() throws Exception {
    var jobs = "/apis/batch/v1/namespaces/default/jobs";
    admin
        .post(
            jobs,
            "{'metadata':{'name':'large'},'spec':{'suspend':true,'template':{'spec':{"
                + "'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}")
        .expect(201);
    int status = 200;
    for (int i = 0; i < 5 && status == 200; i++) {
      status =
          admin
              .merge(
                  jobs + "/large/status",
                  "{'status':{'conditions':[{'type':'T%d','status':'True','message':'%s'}]}}"
                      .formatted(i, "x".repeat(2_900_000)))
              .status();
      if (status == 200) {
        status =
            admin
                .merge(
                    jobs + "/large",
                    "{'metadata':{'annotations':{'a%d':'%s'}}}".formatted(i, "x".repeat(100_000)))
                .status();
      }
    }
    assertThat(status).isIn(413, 422, 200);
    assertThat(admin.get(jobs + "/large").expect(200).response().body().length)
        .isLessThan(5 * 1024 * 1024);
  }

  @Test
  void a_header_that_is_badly_encoded_is_taken_as_it_stands() throws Exception {
    var request =
        Request.get(MAPS, "")
            .withHeader("impersonate-user", "kubernetes-admin")
            .withHeader("impersonate-group", "system:masters")
            .withHeader("impersonate-extra-%zz", "x");

    admin.send(request).expect(200);
  }

  @Test
  void an_impersonated_extra_may_have_any_name() throws Exception {
    var path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    var request =
        Request.of("POST", path, "application/json", "{}".getBytes(StandardCharsets.UTF_8))
            .withHeader("impersonate-user", "u")
            .withHeader("impersonate-extra-", "none")
            .withHeader("impersonate-extra-%2fa%2fb", "path");

    var extra = admin.send(request).expect(201).body().at("/status/userInfo/extra");

    assertThat(extra.path("").path(0).asText()).isEqualTo("none");
    assertThat(extra.path("/a/b").path(0).asText()).isEqualTo("path");
  }

  @Test
  void a_name_longer_than_the_store_can_hold_is_refused() throws Exception {
    var roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

    var got = admin.post(roles, "{'metadata':{'name':'%s'}}".formatted("x".repeat(70_000)));

    assertThat(got.expect(422).text("/details/causes/0/message"))
        .isEqualTo("Too long: may not be more than 16384 bytes");
    admin.post(roles, "{'metadata':{'name':'%s'}}".formatted("x".repeat(16_384))).expect(201);
  }

  @Test
  void a_patch_cannot_take_the_kind_of_an_object_away() throws Exception {
    var operations = "[{'op':'remove','path':'/kind'},{'op':'remove','path':'/apiVersion'}]";

    var got = admin.send("PATCH", MAPS + "/m", JSON_PATCH, operations).expect(200);

    assertThat(got.text("/kind")).isEqualTo("ConfigMap");
    assertThat(got.text("/apiVersion")).isEqualTo("v1");
  }

  @Test
  void half_a_surrogate_pair_in_a_status_leaves_the_object_readable() throws Exception {
    var pod = "/api/v1/namespaces/default/pods/p";

    admin.merge(pod + "/status", "{'status':{'message':'\\ud800'}}").expect(200);

    assertThat(admin.get(pod).expect(200).text("/status/message")).isEqualTo("\ufffd");
    admin.get("/api/v1/namespaces/default/pods").expect(200);
  }

  @Test
  void a_watch_may_ask_for_more_time_than_there_is() throws Exception {
    try (var watch = admin.watch(MAPS + "?watch=1&timeoutSeconds=9223372036854775807")) {
      assertThat(watch.next()).startsWith("ADDED");
    }
  }
}
