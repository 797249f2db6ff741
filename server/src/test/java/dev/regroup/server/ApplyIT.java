package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Server-side apply as clients see it; what it decides is tested without a server. */
class ApplyIT {
  private static final String APPLY = "application/apply-patch+yaml";
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  @TempDir static Path directory;
  private static TestServer server;
  private static Api api;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.start(directory);
    api = server.admin(TestServer.Carrier.HTTPS);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void clear() throws Exception {
    api.delete(MAPS + "/a");
  }

  @Test
  void a_configuration_in_yaml_creates_and_then_changes_an_object() throws Exception {
    var yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: %s\n";
    apply("a?fieldManager=m1", yaml.formatted("one")).expect(201);

    var changed = apply("a?fieldManager=m1", yaml.formatted("two")).expect(200);

    assertThat(changed.text("/data/k")).isEqualTo("two");
    assertThat(managers(changed)).isEqualTo("m1/Apply");
  }

  /** YAML within brackets: indented by tabs, with a comma after the last entry. */
  @Test
  void a_configuration_that_is_almost_json_is_yaml() throws Exception {
    var body =
        "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\",\n\t\"metadata\": {\n"
            + "\t\t\"name\": \"a\",\n\t},\n\t\"data\": {\"k\": \"a\\tb\"},\n}";

    assertThat(apply("a?fieldManager=m1", body).expect(201).text("/data/k")).isEqualTo("a\tb");
    assertThat(apply("a?fieldManager=m1", "{\"a\":").expect(400).text("/message"))
        .startsWith("error decoding YAML: ");
  }

  /** The key of an item is part of the name of a field in {@code managedFields}. */
  @Test
  void an_item_with_a_long_key_can_be_read_again() throws Exception {
    var owner = "{'apiVersion':'v1','kind':'ConfigMap','name':'o','uid':'%s'}";
    var map =
        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','ownerReferences':["
            + owner.formatted("u".repeat(70_000))
            + "]}}";
    apply("a?fieldManager=m1", map.replace('\'', '"')).expect(201);

    api.get(MAPS + "/a").expect(200);
    api.get(MAPS + "?labelSelector=a").expect(200);
    api.merge(MAPS + "/a", "{'data':{'k':'v'}}").expect(200);
  }

  @Test
  void the_same_again_is_not_written() throws Exception {
    var first = applyJson("a", "m1", "{'k': 'v'}").expect(201);

    assertThat(applyJson("a", "m1", "{'k': 'v'}").expect(200).version()).isEqualTo(first.version());
  }

  @Test
  void a_conflict_names_field_and_owner() throws Exception {
    applyJson("a", "m1", "{'k': 'v'}").expect(201);

    var refused = applyJson("a", "m2", "{'k': 'w'}").expect(409);

    assertThat(refused.text("/message"))
        .isEqualTo("Apply failed with 1 conflict: conflict with \"m1\": .data.k");
    assertThat(refused.text("/details/causes/0/field")).isEqualTo(".data.k");
    assertThat(applyJson("a", "m2&force=true", "{'k': 'w'}").expect(200).text("/data/k"))
        .isEqualTo("w");
  }

  @Test
  void a_dry_run_stores_nothing() throws Exception {
    applyJson("a", "m1&dryRun=All", "{'k': 'v'}").expect(201);

    api.get(MAPS + "/a").expect(404);
  }

  @Test
  void apply_needs_a_manager_and_others_must_not_force() throws Exception {
    assertThat(apply("a", "{}").expect(422).text("/message"))
        .contains("fieldManager: Required value: is required for apply patch");
    assertThat(api.merge(MAPS + "/a?force=true", "{}").expect(422).text("/message"))
        .contains("force: Forbidden: may not be specified for non-apply patch");
    assertThat(api.merge(MAPS + "/a?fieldManager=%01", "{}").expect(422).text("/message"))
        .contains("invalid character U+0001 (at position 0)");
  }

  @Test
  void the_parts_of_what_is_not_there_are_not_made() throws Exception {
    api.send(
            "PATCH",
            "/api/v1/namespaces/default/pods/p/status?fieldManager=m1",
            APPLY,
            "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'status':{'phase':'Failed'}}")
        .expect(404);
  }

  @Test
  void creates_and_updates_are_in_the_books_with_what_defaults_filled_in() throws Exception {
    var created =
        api.post(
                "/api/v1/namespaces/default/services?fieldManager=creator",
                "{'metadata': {'name': 's'}, 'spec': {'ports': [{'port': 80}]}}")
            .expect(201);
    assertThat(created.body().at("/metadata/managedFields/0/fieldsV1/f:spec").toString())
        .isEqualTo(
            "{\"f:internalTrafficPolicy\":{},\"f:ports\":{\".\":{},"
                + "\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":"
                + "{\".\":{},\"f:port\":{},\"f:protocol\":{},\"f:targetPort\":{}}},"
                + "\"f:sessionAffinity\":{},\"f:type\":{}}");

    var changed =
        api.merge(
                "/api/v1/namespaces/default/services/s?fieldManager=other",
                "{'metadata': {'labels': {'l': '1'}}}")
            .expect(200);

    assertThat(managers(changed)).isEqualTo("creator/Update other/Update");
  }

  @Test
  void a_client_that_sends_no_books_does_not_lose_them() throws Exception {
    api.post(MAPS + "?fieldManager=creator", "{'metadata': {'name': 'a'}, 'data': {'k': 'v'}}");

    var replaced =
        api.put(MAPS + "/a?fieldManager=other", "{'metadata': {'name': 'a'}, 'data': {'k': 'w'}}")
            .expect(200);

    assertThat(managers(replaced)).isEqualTo("creator/Update other/Update");
    assertThat(
            api.merge(MAPS + "/a", "{'metadata': {'managedFields': []}}")
                .expect(200)
                .body()
                .at("/metadata/managedFields")
                .isMissingNode())
        .isTrue();
  }

  @Test
  void who_may_only_patch_cannot_create_by_apply() throws Exception {
    allowEve("configmaps", "patch");
    var apply =
        Api.request(
                "PATCH",
                MAPS + "/a?fieldManager=m1",
                APPLY,
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'k':'v'}}")
            .withHeader("Impersonate-User", "eve");

    assertThat(api.send(apply).expect(403).text("/message"))
        .startsWith("configmaps \"a\" is forbidden");
    api.post(MAPS, "{'metadata': {'name': 'a'}}").expect(201);
    api.send(apply).expect(200);
  }

  @Test
  void who_may_only_update_cannot_create_by_put() throws Exception {
    allowEve("endpoints", "update");
    var path = "/api/v1/namespaces/default/endpoints";
    var put =
        Api.request("PUT", path + "/e", "application/json", "{'metadata':{'name':'e'}}")
            .withHeader("Impersonate-User", "eve");

    assertThat(api.send(put).expect(403).text("/message"))
        .startsWith("endpoints \"e\" is forbidden");
    api.post(path, "{'metadata': {'name': 'e'}}").expect(201);
    api.send(put).expect(200);
  }

  private void allowEve(String resource, String verb) throws Exception {
    var roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/";
    api.post(
            roles + "roles",
            "{'metadata': {'name': '%s'}, 'rules': [{'apiGroups': [''], 'resources': ['%s'],"
                    .formatted(resource, resource)
                + " 'verbs': ['%s']}]}".formatted(verb))
        .expect(201);
    api.post(
            roles + "rolebindings",
            "{'metadata': {'name': '%s'}, 'subjects': [{'kind': 'User', 'name': 'eve', 'apiGroup':"
                    .formatted(resource)
                + " 'rbac.authorization.k8s.io'}], 'roleRef': {'apiGroup':"
                + " 'rbac.authorization.k8s.io', 'kind': 'Role', 'name': '%s'}}"
                    .formatted(resource))
        .expect(201);
  }

  private Api.Got applyJson(String name, String manager, String data) throws Exception {
    return apply(
        name + "?fieldManager=" + manager,
        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'%s'},'data':%s}"
            .formatted(name, data));
  }

  private Api.Got apply(String nameAndQuery, String body) throws Exception {
    return api.send("PATCH", MAPS + "/" + nameAndQuery, APPLY, body);
  }

  private static String managers(Api.Got got) {
    var names = new StringBuilder();
    for (JsonNode entry : got.body().at("/metadata/managedFields")) {
      names.append(names.isEmpty() ? "" : " ");
      names
          .append(entry.path("manager").asText())
          .append('/')
          .append(entry.path("operation").asText());
    }
    return names.toString();
  }
}
