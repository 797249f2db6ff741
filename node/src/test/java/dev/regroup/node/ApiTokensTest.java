package dev.regroup.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.client.ApiClient;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.PodToken;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the node asks for another token of a pod. */
class ApiTokensTest {
  private static final PodToken WANTED =
      new PodToken("ns", "robot", "p", "u1", null, Duration.ofHours(1));

  private final List<String> asked = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private boolean reachable = true;
  private final ApiTokens tokens = new ApiTokens(new ApiClient(new Issuer()), () -> now);

  @Test
  void a_token_is_used_until_four_fifths_of_its_time_are_over() throws Exception {
    assertThat(tokens.isDue(WANTED)).isTrue();
    assertThat(tokens.token(WANTED)).isEqualTo("token 1");

    now = now.plus(Duration.ofMinutes(47));
    assertThat(tokens.isDue(WANTED)).isFalse();
    assertThat(tokens.token(WANTED)).isEqualTo("token 1");

    now = now.plus(Duration.ofMinutes(2));
    assertThat(tokens.isDue(WANTED)).isTrue();
    assertThat(tokens.token(WANTED)).isEqualTo("token 2");
    assertThat(asked)
        .hasSize(2)
        .allMatch("/api/v1/namespaces/ns/serviceaccounts/robot/token"::equals);
  }

  @Test
  void the_last_token_is_used_while_the_server_is_away() throws Exception {
    reachable = false;
    assertThatThrownBy(() -> tokens.token(WANTED)).isInstanceOf(ConfigFailure.class);

    reachable = true;
    tokens.token(WANTED);
    now = now.plus(Duration.ofMinutes(50));
    reachable = false;

    assertThat(tokens.token(WANTED)).isEqualTo("token 1");
    assertThat(tokens.isDue(WANTED)).isTrue();
  }

  /** Numbers its tokens, which last an hour. */
  private final class Issuer implements Transport {

    @Override
    public Response send(Request request) throws Unreachable {
      if (!reachable) {
        throw new Unreachable("away", new IOException("away"));
      }
      asked.add(request.path());
      var answer =
          "{\"status\":{\"token\":\"token %d\",\"expirationTimestamp\":\"%s\"}}"
              .formatted(asked.size(), now.plus(Duration.ofHours(1)));
      return new Response(
          201, Headers.of("content-type", "application/json"), answer.getBytes(UTF_8));
    }

    @Override
    public Stream open(Request request) {
      throw new AssertionError("nothing is watched here");
    }
  }
}
