package dev.regroup.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.Controllers.Part;
import dev.regroup.control.owners.Collection;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.wire.Verb;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The controllers that every workload leans on, against the real server. */
@EveryRoad
class SupportControllersIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String TULIPS =
      """
      {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
       "metadata":{"name":"tulips.garden.example"},
       "spec":{"group":"garden.example","scope":"Namespaced",
               "names":{"plural":"tulips","singular":"tulip","kind":"Tulip"},
               "versions":[{"name":"v1","served":true,"storage":true,
                            "schema":{"openAPIV3Schema":{"type":"object"}}}]}}
      """;

  @Parameter Road road;
  @TempDir Path directory;

  private ApiServer server;
  private Road.Way way;
  private Transport admin;
  private Controllers controllers;

  @BeforeEach
  void start() throws Exception {
    var random = RandomGenerator.getDefault();
    server =
        ApiServer.open(
            new ApiServer.Settings(
                ControlPlane.certified(directory),
                0,
                Gates.product(),
                InstantSource.system(),
                random));
    way = road.to(server);
    admin = way.as(Identity.admin());
    controllers =
        Controllers.start(
            name -> way.as(Identity.controller(name)),
            new Controllers.Settings(Gates.product(), InstantSource.system(), random),
            EnumSet.of(
                Part.NAMESPACES,
                Part.OWNERS,
                Part.ENDPOINTS,
                Part.SCHEDULER,
                Part.QUOTAS,
                Part.POLICY_TYPES));
  }

  @AfterEach
  void stop() throws Exception {
    controllers.close();
    way.close();
    server.close();
  }

  @Test
  void every_namespace_gets_its_account_and_takes_its_objects_along() throws Exception {
    post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"team\"}}");
    await("/api/v1/namespaces/team/serviceaccounts", named("default"));
    post("/api/v1/namespaces/team/configmaps", "{\"metadata\":{\"name\":\"m\"}}");

    String before = revision("/api/v1/namespaces");
    send("DELETE", "/api/v1/namespaces/team", "{}");

    awaitSince(before, "/api/v1/namespaces", event -> removed(event, "team"));
    assertThat(get("/api/v1/namespaces/team").path("code").asInt()).isEqualTo(404);
  }

  @Test
  void a_namespace_waits_for_its_pods_before_it_takes_what_they_use() throws Exception {
    post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"team\"}}");
    await("/api/v1/namespaces/team/serviceaccounts", named("default"));
    post("/api/v1/namespaces/team/configmaps", "{\"metadata\":{\"name\":\"m\"}}");
    var pods = "/api/v1/namespaces/team/pods";
    post(
        pods,
        "{\"metadata\":{\"name\":\"p\",\"finalizers\":[\"example.org/hold\"]},"
            + "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");

    String before = revision("/api/v1/namespaces");
    send("DELETE", "/api/v1/namespaces/team", "{}");

    awaitNamed(
        "/api/v1/namespaces",
        "team",
        namespace ->
            namespace
                .at("/status/conditions/4/message")
                .asText()
                .equals(
                    "Some content in the namespace has finalizers remaining: example.org/hold in 1"
                        + " resource instances"));
    assertThat(get("/api/v1/namespaces/team").at("/status/conditions/3/message").asText())
        .isEqualTo("Some resources are remaining: pods. has 1 resource instances");
    assertThat(get("/api/v1/namespaces/team/configmaps/m").path("kind").asText())
        .isEqualTo("ConfigMap");

    send("PATCH", pods + "/p", "{\"metadata\":{\"finalizers\":null}}");
    awaitSince(before, "/api/v1/namespaces", event -> removed(event, "team"));
  }

  /** What the owners' controller does not know would outlive its namespace. */
  @Test
  void every_kind_that_lives_in_a_namespace_goes_with_it() {
    var known = Collection.ALL.stream().map(one -> one.apiVersion() + "/" + one.kind()).toList();

    var stored =
        Catalog.standard().all().stream()
            .filter(type -> type.namespaced() && type.verbs().contains(Verb.DELETECOLLECTION))
            .filter(type -> !type.names().plural().equals("events")) // they go by themselves
            .map(type -> type.kind().apiVersion() + "/" + type.kind().kind())
            .toList();

    assertThat(known).containsAll(stored);
  }

  @Test
  void custom_kinds_go_with_their_namespace_and_their_owner() throws Exception {
    defineTulips();
    post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"garden\"}}");
    var path = "/apis/garden.example/v1/namespaces/garden/tulips";
    var owner = post(path, tulip("\"name\":\"owner\""));
    String reference =
        "{\"apiVersion\":\"garden.example/v1\",\"kind\":\"Tulip\",\"name\":\"owner\",\"uid\":\"%s\"}"
            .formatted(owner.path("metadata").path("uid").asText());
    var maps = "/api/v1/namespaces/garden/configmaps";
    post(maps, "{\"metadata\":{\"name\":\"map\",\"ownerReferences\":[%s]}}".formatted(reference));
    post(path, tulip("\"name\":\"child\",\"ownerReferences\":[%s]".formatted(reference)));
    post(path, tulip("\"name\":\"other\""));

    String before = revision(path);
    send("DELETE", path + "/owner", "{\"propagationPolicy\":\"Background\"}");
    awaitSince(before, path, event -> removed(event, "child"));
    awaitSince(before, maps, event -> removed(event, "map"));

    send("DELETE", "/api/v1/namespaces/garden", "{}");
    awaitSince(before, path, event -> removed(event, "other"));
    awaitSince(before, "/api/v1/namespaces", event -> removed(event, "garden"));
  }

  private void defineTulips() throws Exception {
    String definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    post(definitions, TULIPS);
    await(
        definitions,
        event ->
            named("tulips.garden.example").test(event)
                && event.path("object").path("status").path("conditions").size() == 2);
  }

  private static String tulip(String metadata) {
    return "{\"apiVersion\":\"garden.example/v1\",\"kind\":\"Tulip\",\"metadata\":{"
        + metadata
        + "}}";
  }

  @Test
  void what_belongs_to_nobody_is_deleted_and_what_has_an_owner_stays() throws Exception {
    var owner = post(MAPS, "{\"metadata\":{\"name\":\"owner\"}}");
    String reference =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"owner\",\"uid\":\"%s\"}"
            .formatted(owner.path("metadata").path("uid").asText());
    post(MAPS, "{\"metadata\":{\"name\":\"child\",\"ownerReferences\":[%s]}}".formatted(reference));

    String before = revision(MAPS);
    send("DELETE", MAPS + "/owner", "{\"propagationPolicy\":\"Foreground\"}");

    awaitSince(before, MAPS, event -> removed(event, "child"));
    awaitSince(before, MAPS, event -> removed(event, "owner"));
  }

  @Test
  void a_pod_is_bound_and_a_service_names_its_address_within_a_second() throws Exception {
    post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
    post(
        "/api/v1/namespaces/default/services",
        """
        {"metadata":{"name":"group"},
         "spec":{"clusterIP":"None","selector":{"app":"x"},"publishNotReadyAddresses":true}}
        """);
    post(
        PODS,
        """
        {"metadata":{"name":"p","labels":{"app":"x"}},
         "spec":{"hostname":"p0","subdomain":"group",
                 "containers":[{"name":"c","image":"i","command":["true"]}]}}
        """);
    await(PODS, event -> event.path("object").path("spec").path("nodeName").asText().equals("n1"));

    send(
        "PATCH",
        PODS + "/p/status",
        "{\"status\":{\"podIP\":\"10.9.8.7\",\"podIPs\":[{\"ip\":\"10.9.8.7\"}]}}");

    await(
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        event -> {
          var endpoint = event.path("object").path("endpoints").path(0);
          return endpoint.path("addresses").path(0).asText().equals("10.9.8.7")
              && endpoint.path("hostname").asText().equals("p0")
              && endpoint.path("conditions").path("ready").asBoolean();
        });
  }

  /** ACC-104: a restart in place takes a pod out of its service and brings it back. */
  @Test
  void an_endpoint_turns_not_ready_with_its_pod_and_comes_back() throws Exception {
    post(
        "/api/v1/namespaces/default/services",
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"clusterIP\":\"None\",\"selector\":{\"app\":\"x\"}}}");
    post(
        PODS,
        """
        {"metadata":{"name":"p","labels":{"app":"x"}},
         "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}
        """);
    String slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    String before = revision(slices);

    for (String ready : List.of("True", "False", "True")) {
      ready(ready);
      awaitSince(before, slices, event -> endpointIs(event, ready.equals("True")));
      before = revision(slices);
    }

    assertThat(get(slices).path("items"))
        .as("the slice that was there from the beginning")
        .hasSize(1)
        .allMatch(slice -> slice.path("metadata").path("generation").asInt() > 2);
  }

  /** ACC-104: who polls sees that connections broke, however quick the restart was. */
  @Test
  void an_endpoint_that_is_ready_again_at_once_shows_as_not_ready_for_a_moment() throws Exception {
    post(
        "/api/v1/namespaces/default/services",
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"clusterIP\":\"None\",\"selector\":{\"app\":\"x\"}}}");
    post(
        PODS,
        """
        {"metadata":{"name":"p","labels":{"app":"x"}},
         "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}
        """);
    String slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    String before = revision(slices);
    ready("True");
    awaitSince(before, slices, event -> endpointIs(event, true));
    before = revision(slices);

    ready("False");
    ready("True");

    awaitSince(before, slices, event -> endpointIs(event, false));
    awaitSince(before, slices, event -> endpointIs(event, true));
  }

  /** {@code kubectl get endpoints} shows what stands behind a service, and nothing afterwards. */
  @Test
  void a_service_has_its_endpoints_object() throws Exception {
    String services = "/api/v1/namespaces/default/services";
    String endpoints = "/api/v1/namespaces/default/endpoints";
    post(
        services,
        """
        {"metadata":{"name":"s","labels":{"team":"a"}},
         "spec":{"selector":{"app":"x"},"ports":[{"port":80,"targetPort":8080}]}}
        """);
    awaitNamed(endpoints, "s", object -> object.path("subsets").isEmpty());
    post(
        PODS,
        """
        {"metadata":{"name":"p","labels":{"app":"x"}},
         "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}
        """);

    ready("True");
    awaitNamed(
        endpoints,
        "s",
        object -> {
          var address = object.at("/subsets/0/addresses/0");
          return address.path("ip").asText().equals("10.9.8.7")
              && address.path("nodeName").asText().equals("n")
              && address.at("/targetRef/name").asText().equals("p")
              && object.at("/subsets/0/ports/0/port").asInt() == 8080
              && object.at("/metadata/labels/team").asText().equals("a");
        });
    ready("False");
    awaitNamed(
        endpoints,
        "s",
        object ->
            object.at("/subsets/0/notReadyAddresses/0/ip").asText().equals("10.9.8.7")
                && !object.at("/subsets/0").has("addresses"));

    String before = revision(endpoints);
    send("DELETE", services + "/s", "{}");
    awaitSince(before, endpoints, event -> removed(event, "s"));
  }

  private void awaitNamed(String path, String name, Predicate<JsonNode> wanted) throws Exception {
    await(path, event -> named(name).test(event) && wanted.test(event.path("object")));
  }

  private void ready(String status) throws Exception {
    send(
        "PATCH",
        PODS + "/p/status",
        """
        {"status":{"phase":"Running","podIP":"10.9.8.7","podIPs":[{"ip":"10.9.8.7"}],
         "conditions":[{"type":"Ready","status":"%s"}]}}
        """
            .formatted(status));
  }

  private static boolean endpointIs(JsonNode event, boolean ready) {
    var endpoint = event.path("object").path("endpoints").path(0);
    return endpoint.path("addresses").path(0).asText().equals("10.9.8.7")
        && endpoint.path("conditions").path("ready").asBoolean(!ready) == ready;
  }

  @Test
  void a_pod_that_fits_nowhere_says_why_and_goes_when_a_node_comes() throws Exception {
    post(
        PODS,
        """
        {"metadata":{"name":"p"},
         "spec":{"nodeSelector":{"zone":"x"},
                 "containers":[{"name":"c","image":"i","command":["true"]}]}}
        """);
    post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
    await(
        PODS,
        event ->
            event
                .path("object")
                .path("status")
                .toString()
                .contains("didn't match Pod's node affinity/selector"));

    post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n2\",\"labels\":{\"zone\":\"x\"}}}");

    await(PODS, event -> event.path("object").path("spec").path("nodeName").asText().equals("n2"));
  }

  @Test
  void a_quota_counts_what_is_there_and_gives_back_what_ended_or_went() throws Exception {
    String quotas = "/api/v1/namespaces/default/resourcequotas";
    await("/api/v1/namespaces/default/serviceaccounts", named("default"));
    post(
        PODS,
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
    post(quotas, "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"pods\":\"2\"}}}");
    awaitUsed(quotas, "pods", "1");

    post(
        PODS,
        "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
    assertThat(get(quotas + "/q").at("/status/used/pods").asText()).isEqualTo("2");

    send("PATCH", PODS + "/a/status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    awaitUsed(quotas, "pods", "1");
    send("DELETE", PODS + "/b", "{\"gracePeriodSeconds\":0}");
    awaitUsed(quotas, "pods", "0");
  }

  @Test
  void a_quota_counts_custom_kinds_and_gives_them_back() throws Exception {
    String quotas = "/api/v1/namespaces/default/resourcequotas";
    String tulips = "/apis/garden.example/v1/namespaces/default/tulips";
    defineTulips();
    post(tulips, tulip("\"name\":\"a\""));

    post(
        quotas,
        "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"count/tulips.garden.example\":\"2\"}}}");

    awaitUsed(quotas, "count~1tulips.garden.example", "1");
    post(tulips, tulip("\"name\":\"b\""));
    awaitUsed(quotas, "count~1tulips.garden.example", "2");
    send("DELETE", tulips + "/a", "{}");
    awaitUsed(quotas, "count~1tulips.garden.example", "1");
  }

  private void awaitUsed(String quotas, String what, String amount) throws Exception {
    awaitNamed(quotas, "q", quota -> quota.at("/status/used/" + what).asText().equals(amount));
  }

  @Test
  void the_author_of_a_policy_is_told_what_does_not_fit_its_kinds() throws Exception {
    String policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    post(
        policies,
        """
        {"metadata":{"name":"p"},
         "spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
                   "operations":["CREATE"],"resources":["configmaps"]}]},
                 "validations":[{"expression":"object.nope == 1"},
                                {"expression":"has(object.data)"}]}}
        """);

    awaitNamed(policies, "p", policy -> policy.at("/status/observedGeneration").asInt() == 1);

    var warnings = get(policies + "/p").at("/status/typeChecking/expressionWarnings");
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0).path("fieldRef").asText())
        .isEqualTo("spec.validations[0].expression");
    assertThat(warnings.get(0).path("warning").asText())
        .startsWith("/v1, Kind=ConfigMap: ERROR: <input>:1:");
  }

  private static Predicate<JsonNode> named(String name) {
    return event -> event.path("object").path("metadata").path("name").asText().equals(name);
  }

  private static boolean removed(JsonNode event, String name) {
    return event.path("type").asText().equals("DELETED") && named(name).test(event);
  }

  private String revision(String path) throws IOException, InterruptedException {
    return get(path).path("metadata").path("resourceVersion").asText();
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return Wire.tree(admin.send(Request.get(path, "")).body());
  }

  private ObjectNode post(String path, String json) throws IOException, InterruptedException {
    return send("POST", path, json);
  }

  private ObjectNode send(String method, String path, String json)
      throws IOException, InterruptedException {
    String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
    var response = admin.send(Request.of(method, path, type, Wire.write(Wire.tree(json))));
    var body = Wire.tree(response.body());
    assertThat(response.ok()).as("%s %s: %s", method, path, body).isTrue();
    return body;
  }

  /** Watches from the present state on until an event fits. */
  private void await(String path, Predicate<JsonNode> wanted)
      throws IOException, InterruptedException {
    awaitSince("", path, wanted);
  }

  private void awaitSince(String revision, String path, Predicate<JsonNode> wanted)
      throws IOException, InterruptedException {
    var seen = new CountDownLatch(1);
    boolean came;
    Thread reader;
    try (var stream = admin.open(Request.get(path, "watch=1&resourceVersion=" + revision))) {
      reader = Thread.ofVirtual().start(() -> read(stream, wanted, seen));
      came = seen.await(SOON.toMillis(), TimeUnit.MILLISECONDS);
    }
    reader.join();
    assertThat(came).as("expected at %s", path).isTrue();
  }

  private static void read(
      Transport.Stream stream, Predicate<JsonNode> wanted, CountDownLatch seen) {
    try {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        if (wanted.test(Wire.tree(frame))) {
          seen.countDown();
          return;
        }
      }
    } catch (IOException | InterruptedException e) {
      return; // the stream was closed: time is up
    }
  }
}
