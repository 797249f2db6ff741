package dev.regroup.client;

import static dev.regroup.client.FakeApi.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class ApiClientTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final ObjectKey X = new ObjectKey("default", "x");

  private final FakeApi api = new FakeApi();
  private final ApiClient client = new ApiClient(api);

  @Test
  void reads_what_is_there_and_says_empty_for_what_is_not() throws Exception {
    api.put("default", "x", "1");

    assertThat(client.get(PODS, X).orElseThrow().at("/spec/value").asText()).isEqualTo("1");
    assertThat(client.get(PODS, new ObjectKey("default", "y"))).isEmpty();
  }

  @Test
  void creates_updates_patches_and_deletes() throws Exception {
    var created = client.create(PODS, "default", pod("x", "1"));
    created.withObjectProperty("spec").put("value", "2");
    var updated = client.update(PODS, X, created);
    var patched = client.mergePatchStatus(PODS, X, "{\"status\":{\"phase\":\"Running\"}}");

    assertThat(updated.at("/spec/value").asText()).isEqualTo("2");
    assertThat(patched.at("/status/phase").asText()).isEqualTo("Running");
    assertThat(client.delete(PODS, X, DeleteOptions.NONE)).isTrue();
    assertThat(client.delete(PODS, X, DeleteOptions.NONE)).isFalse();
    assertThat(api.requests())
        .extracting(request -> request.method() + " " + request.path())
        .startsWith(
            "POST /api/v1/namespaces/default/pods",
            "PUT /api/v1/namespaces/default/pods/x",
            "PATCH /api/v1/namespaces/default/pods/x/status",
            "DELETE /api/v1/namespaces/default/pods/x");
    assertThat(api.requests().get(2).headers().first("Content-Type"))
        .hasValue("application/merge-patch+json");
  }

  @Test
  void tells_the_failures_apart() throws Exception {
    var stale = client.create(PODS, "default", pod("x", "1")).deepCopy();
    client.update(PODS, X, stale.deepCopy());

    var conflict = catchThrowableOfType(ApiFailure.class, () -> client.update(PODS, X, stale));
    var exists =
        catchThrowableOfType(ApiFailure.class, () -> client.create(PODS, "default", pod("x", "1")));

    assertThat(conflict.conflict()).isTrue();
    assertThat(conflict.alreadyExists()).isFalse();
    assertThat(exists.alreadyExists()).isTrue();
    assertThat(exists.conflict()).isFalse();
    assertThat(exists).hasMessage("pods \"x\" already exists");
  }

  @Test
  void reads_details_of_a_status_and_survives_answers_that_are_none() {
    var status =
        """
        {"kind":"Status","code":422,"reason":"Invalid","message":"bad","details":{"name":"x",
        "kind":"Pod","retryAfterSeconds":3,
        "causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"}]}}
        """;

    var failure = ApiFailure.of(422, status.getBytes(UTF_8));
    var foreign = ApiFailure.of(502, "<html>Bad gateway</html>".getBytes(UTF_8));

    assertThat(failure.invalid()).isTrue();
    assertThat(failure.details().causes())
        .containsExactly(new ApiFailure.Cause("spec.a", "FieldValueRequired", "Required value"));
    assertThat(failure.retryAfter()).hasValue(Duration.ofSeconds(3));
    assertThat(foreign.code()).isEqualTo(502);
    assertThat(foreign).hasMessage("502: <html>Bad gateway</html>");
    assertThat(ApiFailure.of(500, new byte[0]).code()).isEqualTo(500);
  }

  @Test
  void lists_page_by_page() throws Exception {
    for (int i = 0; i < 5; i++) {
      api.put("default", "p" + i, "ü" + i); // more bytes than characters
    }
    var values = new ArrayList<String>();
    var query = ListQuery.in("default").withLimit(2).withLabels("app=a b");
    var page = client.list(PODS, query);
    page.items().forEach(item -> values.add(item.at("/spec/value").asText()));
    while (!page.continueToken().isEmpty()) {
      page = client.list(PODS, query.after(page.continueToken()));
      page.items().forEach(item -> values.add(item.at("/spec/value").asText()));
    }

    assertThat(values).containsExactly("ü0", "ü1", "ü2", "ü3", "ü4");
    assertThat(page.resourceVersion()).isEqualTo("15");
    assertThat(api.requests().getFirst().query()).isEqualTo("labelSelector=app%3Da%20b&limit=2");
  }

  @Test
  void hands_on_warnings() throws Exception {
    var warnings = new ArrayList<String>();
    api.warnWith("299 - \"spec.x: say \\\"y\\\"\"");

    new ApiClient(api, warnings::add).list(PODS, ListQuery.ALL);

    assertThat(warnings).containsExactly("spec.x: say \"y\"");
  }

  @Test
  void delete_options_are_written_as_the_server_reads_them() {
    var options =
        DeleteOptions.NONE
            .withGrace(0)
            .with(DeleteOptions.Propagation.FOREGROUND)
            .onlyUid("u")
            .onlyAt("7");

    assertThat(options.json())
        .isEqualTo(
            tree(
                """
                {"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,
                "propagationPolicy":"Foreground",
                "preconditions":{"uid":"u","resourceVersion":"7"}}
                """));
    assertThat(DeleteOptions.NONE.json())
        .isEqualTo(tree("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}"));
  }

  @Test
  void write_options_go_into_the_query() throws Exception {
    client.create(PODS, "default", pod("x", "1"));

    client.patch(
        PODS,
        X,
        "",
        new Patch(Patch.Type.APPLY, "{}".getBytes(UTF_8)),
        WriteOptions.by("me").withForce().withDryRun().withFieldValidation("Strict"));

    assertThat(api.requests().getLast().query())
        .isEqualTo("fieldManager=me&fieldValidation=Strict&dryRun=All&force=true");
  }

  @Test
  void paths_follow_group_scope_and_subresource() {
    var jobs = Resource.namespaced("batch", "v1", "jobs", Codec.TREE);
    var nodes = Resource.cluster("", "v1", "nodes", Codec.TREE);

    assertThat(jobs.path("")).isEqualTo("/apis/batch/v1/jobs");
    assertThat(jobs.path("a")).isEqualTo("/apis/batch/v1/namespaces/a/jobs");
    assertThat(jobs.path(new ObjectKey("a", "b"), "status"))
        .isEqualTo("/apis/batch/v1/namespaces/a/jobs/b/status");
    assertThat(nodes.path(ObjectKey.cluster("n 1/%"))).isEqualTo("/api/v1/nodes/n%201%2F%25");
    assertThatThrownBy(() -> jobs.path(ObjectKey.cluster("b")))
        .hasMessageContaining("jobs are in namespaces");
  }

  private static ObjectNode pod(String name, String value) {
    return tree(
        "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"value\":\"%s\"}}".formatted(name, value));
  }

  private static ObjectNode tree(String json) {
    try {
      return (ObjectNode) JSON.readTree(json);
    } catch (java.io.IOException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
