package dev.regroup.server.callee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.wire.Answer;
import dev.regroup.testing.ExpectsError;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AdmissionEndpointTest {

  private static final Credentials NOBODY = Credentials.remote(Optional.empty(), Optional.empty());

  private static final String REVIEW =
      """
      {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",
       "kind":{"group":"","version":"v1","kind":"Pod"},"operation":"UPDATE",
       "namespace":"ns","name":"p","userInfo":{"username":"anna","groups":["g"]},
       "object":{"metadata":{"name":"p"}},"oldObject":{"metadata":{"name":"old"}}}}
      """;

  private static Response ask(AdmissionLink<InterruptedException> link, String path, String body)
      throws Exception {
    var endpoint = new AdmissionEndpoint(Map.of("/here", link), Lookup.NOTHING);
    var request = Request.of("POST", path, "application/json", body.getBytes(UTF_8));
    return ((Answer.Whole) endpoint.handle(NOBODY, request)).response();
  }

  private static JsonNode answer(AdmissionLink<InterruptedException> link) throws Exception {
    return Wire.tree(ask(link, "/here", REVIEW).body()).path("response");
  }

  @Test
  void what_a_link_changes_is_a_patch_and_what_it_says_a_warning() throws Exception {
    var answer =
        answer((review, _) -> {
          review.object().put("added", true);
          return review.passed(List.of("careful"), List.of());
        });

    assertThat(answer.path("uid").asText()).isEqualTo("u1");
    assertThat(answer.path("allowed").asBoolean()).isTrue();
    assertThat(answer.path("warnings").toString()).isEqualTo("[\"careful\"]");
    assertThat(answer.path("patchType").asText()).isEqualTo("JSONPatch");
    assertThat(new String(Base64.getDecoder().decode(answer.path("patch").asText()), UTF_8))
        .isEqualTo("[{\"op\":\"add\",\"path\":\"/added\",\"value\":true}]");
  }

  @Test
  void a_link_sees_the_whole_request() throws Exception {
    var answer =
        answer((review, _) -> {
          assertThat(review.operation()).isEqualTo(Operation.UPDATE);
          assertThat(review.isOf("", "Pod")).isTrue();
          assertThat(review.request().asker().user()).isEqualTo("anna");
          assertThat(review.old()).isEqualTo(Wire.tree("{\"metadata\":{\"name\":\"old\"}}"));
          return review.unchanged();
        });

    assertThat(answer.path("allowed").asBoolean()).isTrue();
    assertThat(answer.has("patch")).isFalse();
  }

  @Test
  void a_refusal_keeps_its_code_and_leaves_the_webhooks_name_to_the_api_server() throws Exception {
    var answer =
        answer((review, _) ->
            new Admitted(
                review.object(),
                List.of(),
                List.of(),
                RefusalStatus.denied("vpod.kb.io", "not here")));

    assertThat(answer.path("allowed").asBoolean()).isFalse();
    assertThat(answer.at("/status/message").asText()).isEqualTo("not here");
    assertThat(answer.at("/status/code").asInt()).isEqualTo(403);
    assertThat(answer.has("patch")).isFalse();
  }

  @Test
  void what_is_no_review_is_refused() throws Exception {
    AdmissionLink<InterruptedException> link = (review, _) -> review.unchanged();

    assertThat(ask(link, "/elsewhere", REVIEW).status()).isEqualTo(404);
    assertThat(ask(link, "/here", "nonsense").status()).isEqualTo(400);
    assertThat(ask(link, "/here", "{}").status()).isEqualTo(400);
    assertThat(ask(link, "/here", REVIEW.replace("/v1\"", "/v2\"")).status()).isEqualTo(400);
  }

  @Test
  @ExpectsError(value = "met a bug", because = "the link throws")
  void a_bug_is_an_answer_too() throws Exception {
    var response = ask(AdmissionEndpointTest::broken, "/here", REVIEW);

    assertThat(response.status()).isEqualTo(500);
    assertThat(new String(response.body(), UTF_8)).contains("broken");
  }

  private static Admitted broken(Review review, Lookup lookup) {
    throw new IllegalStateException("broken");
  }
}
