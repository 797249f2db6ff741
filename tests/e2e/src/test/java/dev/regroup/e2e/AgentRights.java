package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a program in a pod can do with the agent's token, judged by the server that a subclass
 * names: write the attempt of its own pod, read JobSets of its namespace, nothing else (JS-149c,
 * JS-149d, AS-69).
 */
@SuppressWarnings("NullAway.Init") // opened before each test
public abstract class AgentRights {

  protected static final String PODS = "/api/v1/namespaces/default/pods";
  protected static final String OWN = PODS + "/rights-own";
  private static final String ACCOUNT = "jobset-in-place-restart";
  protected static final String ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt";
  private static final Duration SOON = Duration.ofSeconds(30);

  private Kube kube;
  private String token = "";

  /** An agent has a token of its pod; account, role and policy are there. */
  protected final void open(Kube administrator) throws Exception {
    kube = administrator;
    for (var name : List.of("rights-own", "rights-other")) {
      kube.create(PODS, pod(name));
    }
    token = token();
    awaitPolicy();
  }

  /** Rights and policies are enforced a moment after they were written. */
  private void awaitPolicy() throws Exception {
    long end = System.nanoTime() + SOON.toNanos();
    while (!isLet(annotation(ATTEMPT, "0"))
        || isLet("{\"metadata\":{\"labels\":{\"probe\":\"x\"}}}")) {
      assertThat(System.nanoTime()).as("the right and the policy").isLessThan(end);
      LockSupport.parkNanos(20_000_000); // nobody tells when they are
    }
  }

  private boolean isLet(String change) throws Exception {
    return send(patch(OWN, change, "dryRun=All")).ok();
  }

  /** As the agent. */
  protected final Response send(Request request) throws Exception {
    return kube.nobody().send(request.withHeader("authorization", "Bearer " + token));
  }

  @AfterEach
  void the_pods_go() throws Exception {
    for (var name : List.of("rights-own", "rights-other")) {
      kube.delete(PODS + "/" + name, "gracePeriodSeconds=0");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "2147483646"})
  void writes_the_attempt_of_its_own_pod(String attempt) throws Exception {
    var answer = send(patch(OWN, annotation(ATTEMPT, attempt), ""));

    assertThat(answer.status()).as(text(answer)).isEqualTo(200);
    assertThat(kube.get(OWN).path("metadata").path("annotations").path(ATTEMPT).asText())
        .isEqualTo(attempt);
  }

  @Test
  void writes_it_also_as_the_released_agent_does() throws Exception {
    var body =
        """
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "rights-own", "annotations": {"%s": "3"}}}\
        """
            .formatted(ATTEMPT);

    var answer =
        send(
            Request.of("PATCH", OWN, "application/apply-patch+yaml", body.getBytes(UTF_8))
                .withQuery("fieldManager=in-place-restart-agent&force=true"));

    assertThat(answer.status()).as(text(answer)).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "2147483647",
        "9999999999",
        "99999999999999999999",
        "1x",
        "",
        "007",
        "+1",
        " 1",
        "1.0"
      })
  void writes_no_attempt_that_is_none(String attempt) throws Exception {
    assertRefused(patch(OWN, annotation(ATTEMPT, attempt), ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
        "{\"metadata\":{\"labels\":{\"keep\":null}}}",
        "{\"metadata\":{\"labels\":null}}",
        "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}",
        "{\"metadata\":{\"annotations\":{\"keep\":null}}}",
        "{\"metadata\":{\"annotations\":null}}",
        "{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}",
        "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"}]}}",
        "{\"spec\":{\"activeDeadlineSeconds\":1}}",
        "{\"spec\":{\"containers\":[{\"name\":\"worker\",\"image\":\"other\"}]}}",
        "{\"spec\":{\"tolerations\":[{\"operator\":\"Exists\"}]}}"
      })
  void changes_nothing_else_of_its_pod(String change) throws Exception {
    assertRefused(patch(OWN, change, ""));
  }

  @Test
  void writes_no_attempt_of_another_pod() throws Exception {
    assertRefused(patch(PODS + "/rights-other", annotation(ATTEMPT, "1"), ""));
  }

  @Test
  void has_no_other_rights() throws Exception {
    var jobSets = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
    for (var path :
        List.of(
            OWN + "/status",
            OWN + "/ephemeralcontainers",
            OWN + "/resize",
            jobSets + "/any",
            jobSets + "/any/status",
            "/api/v1/namespaces/kube-system/pods/any")) {
      assertForbidden(patch(path, annotation(ATTEMPT, "1"), ""));
    }
    for (var path :
        List.of(
            PODS,
            OWN,
            OWN + "/log",
            "/api/v1/namespaces/default/secrets",
            "/api/v1/nodes",
            "/apis/batch/v1/namespaces/default/jobs",
            "/apis/jobset.x-k8s.io/v1alpha2/namespaces/kube-system/jobsets")) {
      assertForbidden(Request.get(path, ""));
    }
    assertForbidden(Request.of("DELETE", OWN, "application/json", new byte[0]));
    assertForbidden(Request.of("POST", PODS, "application/json", bytes(pod("rights-new"))));
    assertThat(send(Request.get(jobSets, "fieldSelector=metadata.name%3Dany")).status())
        .isEqualTo(200);
  }

  private void assertRefused(Request request) throws Exception {
    var before = kube.get(OWN).path("metadata").path("resourceVersion");
    var answer = send(request);

    assertThat(answer.status()).as(text(answer)).isIn(403, 422);
    assertThat(kube.get(OWN).path("metadata").path("resourceVersion")).isEqualTo(before);
  }

  private void assertForbidden(Request request) throws Exception {
    var answer = send(request);

    assertThat(answer.status())
        .as("%s %s: %s", request.method(), request.path(), text(answer))
        .isEqualTo(403);
  }

  private String token() throws Exception {
    var uid = kube.get(OWN).path("metadata").path("uid").asText();
    var request =
        Kube.JSON.readTree(
            """
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"audiences": [], "expirationSeconds": 3600,
                      "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "rights-own", "uid": "%s"}}}\
            """
                .formatted(uid));
    return kube.create("/api/v1/namespaces/default/serviceaccounts/" + ACCOUNT + "/token", request)
        .path("status")
        .path("token")
        .asText();
  }

  /** No node takes it, so nobody else writes it. */
  private static JsonNode pod(String name) throws Exception {
    return Kube.JSON.readTree(
        """
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "%s", "labels": {"keep": "1"}, "annotations": {"keep": "1"}},
         "spec": {"schedulerName": "nobody", "serviceAccountName": "%s",
                  "containers": [{"name": "worker", "image": "busybox"}]}}\
        """
            .formatted(name, ACCOUNT));
  }

  protected static Request patch(String path, String merge, String query) {
    return Request.of("PATCH", path, "application/merge-patch+json", merge.getBytes(UTF_8))
        .withQuery(query);
  }

  protected static String annotation(String key, String value) {
    return "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(key, value);
  }

  private static byte[] bytes(JsonNode object) throws Exception {
    return Kube.JSON.writeValueAsBytes(object);
  }

  private static String text(Response answer) {
    return new String(answer.body(), UTF_8);
  }
}
