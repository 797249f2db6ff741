package dev.regroup.cli.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.queue.Ticker;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the figures to whoever the API server says may see them: the token is reviewed, then the
 * right to get {@code /metrics} (JS-171). An answer is remembered for a few seconds; a scraper
 * comes again.
 */
final class MetricsEndpoint implements Exchange {

  private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
  private static final String PATH = "/metrics";
  private static final Duration REMEMBERED = Duration.ofSeconds(10);
  private static final int MOST_REMEMBERED = 256;
  private static final Resource<ObjectNode> TOKENS =
      Resource.cluster("authentication.k8s.io", "v1", "tokenreviews", Codec.TREE);
  private static final Resource<ObjectNode> RIGHTS =
      Resource.cluster("authorization.k8s.io", "v1", "subjectaccessreviews", Codec.TREE);

  private record Verdict(int code, long at) {}

  private final Metrics metrics;
  private final ApiClient client;
  private final Ticker ticker;

  private final Map<String, Verdict> verdicts = // guarded by itself
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Verdict> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  MetricsEndpoint(Metrics metrics, Transport transport, Ticker ticker) {
    this.metrics = metrics;
    this.client = new ApiClient(transport);
    this.ticker = ticker;
  }

  @Override
  public Entry enter(Credentials credentials, Request head) {
    return (Entry.Granted) request -> handle(credentials, request);
  }

  @Override
  public Answer handle(Credentials credentials, Request request) throws InterruptedException {
    if (!request.path().equals(PATH) || !request.method().equals("GET")) {
      return answer(404, "not found\n");
    }
    var token = credentials.bearerToken();
    int code = token.isEmpty() ? 401 : verdict(token.get());
    return switch (code) {
      case 200 -> answer(200, metrics.page().orElse(""));
      case 401 -> answer(401, "Unauthorized\n");
      case 403 -> answer(403, "Forbidden\n");
      default -> answer(500, "the token could not be reviewed\n");
    };
  }

  private int verdict(String token) throws InterruptedException {
    synchronized (verdicts) {
      var known = verdicts.get(token);
      if (known != null && ticker.nanos() - known.at() < REMEMBERED.toNanos()) {
        return known.code();
      }
    }
    int code;
    try {
      code = ask(token);
    } catch (ApiFailure | Transport.Unreachable e) {
      LOG.warn("a token could not be reviewed: {}", e.getMessage());
      return 500;
    }
    synchronized (verdicts) {
      verdicts.put(token, new Verdict(code, ticker.nanos()));
    }
    return code;
  }

  private int ask(String token) throws ApiFailure, Transport.Unreachable, InterruptedException {
    var review =
        Wire.object().put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    review.putObject("spec").put("token", token);
    var status = client.create(TOKENS, "", review).path("status");
    if (!Trees.isTrue(status, "authenticated")) {
      return 401;
    }
    var access =
        Wire.object()
            .put("apiVersion", "authorization.k8s.io/v1")
            .put("kind", "SubjectAccessReview");
    var spec = access.putObject("spec");
    spec.putObject("nonResourceAttributes").put("path", PATH).put("verb", "get");
    spec.put("user", Trees.text(status, "user", "username"));
    spec.put("uid", Trees.text(status, "user", "uid"));
    var groups = spec.putArray("groups");
    Trees.texts(status, "user", "groups").forEach(groups::add);
    Trees.object(status, "user", "extra").ifPresent(extra -> spec.set("extra", extra.deepCopy()));
    return Trees.isTrue(client.create(RIGHTS, "", access), "status", "allowed") ? 200 : 403;
  }

  private static Answer answer(int code, String text) {
    return new Answer.Whole(
        new Response(
            code,
            Headers.of("content-type", "text/plain; version=0.0.4; charset=utf-8"),
            text.getBytes(UTF_8)));
  }
}
