package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.TestServer.Carrier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small requests that ask for much work, and bytes that mean nothing. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileRequestsIT {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String JSON_PATCH = "application/json-patch+json";
  private static final int FUZZED = 4_000;

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
  void a_watch_may_ask_for_more_time_than_there_is() throws Exception {
    try (var watch = admin.watch(MAPS + "?watch=1&timeoutSeconds=9223372036854775807")) {
      assertThat(watch.next()).startsWith("ADDED");
    }
  }

  /** Bytes are exchanged, doubled, left out; nothing may be answered with a failure of our own. */
  @Test
  @Timeout(value = 300, unit = TimeUnit.SECONDS)
  void no_request_whatever_its_bytes_makes_the_server_fail() throws Exception {
    var types =
        List.of(
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            JSON_PATCH);
    var bodies =
        List.of(
            "{\"metadata\":{\"name\":\"f\",\"labels\":{\"a\":\"b\"}},\"data\":{\"k\":\"v\"}}",
            "{\"kind\":\"DeleteOptions\",\"gracePeriodSeconds\":1e2,\"preconditions\":{\"uid\":\"\"}}",
            "[{\"op\":\"copy\",\"from\":\"/data\",\"path\":\"/data/-1\"},{\"op\":\"test\",\"path\":\"\"}]",
            "{\"spec\":{\"containers\":[{\"name\":\"c\",\"$patch\":\"delete\"}],"
                + "\"$setElementOrder/containers\":[{\"name\":\"c\"}]}}",
            "metadata: {name: &a [1, *a]}\ndata:\n  - x: 0x1F\n  ? [k]\n  : 1e5\n",
            "k8s\0\n\2v1\n\tConfigMap\22\12\n\10\n\1f\32\0\"\0*\0");
    var paths =
        List.of(
            "/api/v1/namespaces/kube-public/configmaps",
            MAPS + "/fuzzed",
            "/api/v1/namespaces/default/pods/p",
            "/api/v1/namespaces/default/pods/p/status",
            "/api/v1/namespaces/default/pods/p/eviction",
            "/api/v1/namespaces/default/pods/p/binding",
            "/apis/batch/v1/namespaces/default/jobs");
    var queries =
        List.of(
            "labelSelector=a in (b,c),!d,e!=f&limit=3",
            "fieldSelector=metadata.name=m,status.phase!=Running&continue=eyJ2IjoxfQ",
            "resourceVersion=1&resourceVersionMatch=Exact&timeoutSeconds=1",
            "dryRun=All&fieldManager=x&fieldValidation=Strict&propagationPolicy=Foreground",
            "gracePeriodSeconds=5&pretty=1");
    admin.post(MAPS, "{'metadata':{'name':'fuzzed'},'data':{'x':'1'}}").expect(201);
    var methods = List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");
    long seed = 20261116;
    var random = new Random(seed);
    for (int i = 0; i < FUZZED; i++) {
      var query = mutate(pick(queries, random), random);
      var request =
          new Request(
              pick(methods, random),
              random.nextInt(4) == 0
                  ? "/" + mutate(pick(paths, random), random)
                  : pick(paths, random),
              random.nextBoolean() ? "" : query.replace("watch", ""),
              dev.regroup.client.Headers.of("content-type", pick(types, random)),
              mutate(pick(bodies, random), random).getBytes(StandardCharsets.ISO_8859_1));

      Response response = admin.transport().send(request);

      var text = new String(response.body(), StandardCharsets.UTF_8);
      assertThat(text)
          .as("seed %d, request %d: %s %s?%s", seed, i, request.method(), request.path(), query)
          .doesNotContain("the server failed")
          .doesNotContain("Exception");
    }
  }

  private static <T> T pick(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  private static String mutate(String text, Random random) {
    var chars = text.toCharArray();
    for (int changes = random.nextInt(4); changes > 0 && chars.length > 1; changes--) {
      int at = random.nextInt(chars.length);
      switch (random.nextInt(4)) {
        case 0 -> chars[at] = (char) random.nextInt(256);
        case 1 -> chars[at] = "\"'{}[]:,%&=!~\\/9-eE".charAt(random.nextInt(18));
        case 2 -> chars = Arrays.copyOf(chars, at + 1);
        default -> {
          var longer = Arrays.copyOf(chars, chars.length + chars.length - at);
          System.arraycopy(chars, at, longer, chars.length, chars.length - at);
          chars = longer;
        }
      }
    }
    return new String(chars);
  }
}
