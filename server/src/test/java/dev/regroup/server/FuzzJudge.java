package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.ServerJson;
import dev.regroup.client.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Sends a request and says what is wrong with the answer, whatever the request was: it must come
 * soon, must not be a failure of the server, must be of a known form, and what was accepted must be
 * there afterwards, in every format, and be accepted again. Takes away what it made.
 */
final class FuzzJudge {

  private static final Duration SOON = Duration.ofSeconds(20); // other tests run beside it
  private static final ObjectMapper JSON = ServerJson.MAPPER;
  private static final Set<String> NEEDS_A_NODE =
      Set.of("log", "exec", "attach", "portforward", "proxy");

  /** What Kubernetes, too, calls a failure of the server although the request is at fault. */
  private static final Pattern INTENDED =
      Pattern.compile(
          "failed to create typed patch object|requested impersonation without impersonating a"
              + " user|Timeout: Too large resource version|strconv\\.ParseUint|target.name:"
              + " Required value|target.kind: Unsupported value|resourceVersion should not be set"
              + " on objects to be |invalid patch format of |unknown patch type: |expected map in"
              + " list, got |does not contain declared merge key: |expected a \\[]interface"
              + " \\{}, but received a |merging lists cannot yet be specified in the patch|The"
              + " order in patch list:");

  /**
   * Of two statuses of one container, one that has ended and one that has not: Kubernetes, too,
   * stores them and then holds one against the other.
   */
  private static final String SAME_NAME = "may not be transitioned to non-terminated state";

  private final Transport transport;
  private int accepted;

  FuzzJudge(Transport transport) {
    this.transport = transport;
  }

  /** What is wrong, in order; nothing when all is well. */
  List<String> problems(Request request) throws InterruptedException {
    var problems = new ArrayList<String>();
    var answer = send(request, problems);
    check(request, answer, problems);
    if (problems.isEmpty() && isWrite(request) && answer.status() / 100 == 2) {
      accepted++;
      var object = json(answer);
      boolean stored =
          object.at("/metadata/uid").isTextual()
              && object.at("/metadata/resourceVersion").isTextual(); // tokens have none
      if (stored && !decoded(request.query()).contains("dryRun")) {
        lookAgain(request, answer, problems);
      }
    }
    return problems;
  }

  /** How many writes were accepted so far. */
  int accepted() {
    return accepted;
  }

  private Response send(Request request, List<String> problems) throws InterruptedException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answer = threads.submit(() -> exchange(request));
      try {
        return answer.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        problems.add("no answer within " + SOON);
        answer.cancel(true);
      } catch (ExecutionException e) {
        problems.add("no answer but " + e.getCause());
      }
      return new Response(0, Headers.NONE, new byte[0]);
    }
  }

  /** A stream that may go on for ever is looked at and left. */
  private Response exchange(Request request) throws Exception {
    var words = decoded(request.path() + "?" + request.query());
    if (!words.contains("watch") && !words.contains("follow")) {
      return transport.send(request);
    }
    try (var stream = transport.open(request)) {
      var body = new ByteArrayOutputStream();
      if (stream.status() >= 300) {
        for (var frame = stream.next(); frame != null; frame = stream.next()) {
          body.writeBytes(frame);
        }
      }
      return new Response(stream.status(), stream.headers(), body.toByteArray());
    }
  }

  private static void check(Request request, Response answer, List<String> problems) {
    var text = new String(answer.body(), UTF_8);
    if (answer.status() >= 500
        && !(List.of(501, 502).contains(answer.status()) && needsNode(request))
        && !INTENDED.matcher(text).find()) {
      problems.add("answered " + answer.status() + " " + text);
    }
    if (text.contains("Exception") || text.contains("\tat ") || text.contains("dev.regroup.")) {
      problems.add("shows what it is made of: " + text);
    }
    answer
        .headers()
        .fields()
        .forEach((name, values) -> {
          if (values.stream().anyMatch(value -> value.chars().anyMatch(c -> c < ' '))) {
            problems.add("the header " + name + " has control characters: " + values);
          }
        });
    if (!request.path().startsWith("/api") || answer.body().length == 0) {
      return;
    }
    if (contentType(answer).startsWith("application/json")) {
      checkForm(answer, problems);
    } else if (contentType(answer).startsWith("application/vnd.kubernetes.protobuf")
        && !text.startsWith("k8s\0")) {
      problems.add("no protobuf: " + text);
    }
  }

  private static void checkForm(Response answer, List<String> problems) {
    var body = json(answer);
    if (!body.path("kind").isTextual()) {
      problems.add(answer.status() + " without a kind: " + new String(answer.body(), UTF_8));
    } else if (answer.status() >= 400
        && (!body.path("kind").asText().equals("Status")
            || body.path("code").asInt() != answer.status())) {
      problems.add(answer.status() + " is not told by its Status: " + body);
    }
  }

  private void lookAgain(Request write, Response answer, List<String> problems)
      throws InterruptedException {
    var object = json(answer);
    var kind = object.path("kind").asText();
    if (kind.equals("Table") || kind.startsWith("Partial")) {
      return;
    }
    var path = write.path();
    if (write.method().equals("POST")) { // its address may end with a slash, but hold no two
      path += (path.endsWith("/") ? "" : "/") + object.at("/metadata/name").asText();
    }
    var read = send(Request.get(path, ""), problems);
    boolean leaving = object.at("/metadata/deletionTimestamp").isTextual();
    if (read.status() == 405 || (read.status() == 404 && leaving)) {
      return; // a review, or gone as it should be
    }
    if (!json(read).equals(object)) {
      problems.add("answered " + object + " but stored " + new String(read.body(), UTF_8));
    }
    for (var accept : List.of("application/json;as=Table;v=v1;g=meta.k8s.io", "application/yaml")) {
      var other = send(Request.get(path, "").withHeader("accept", accept), problems);
      if (other.status() != 200) {
        problems.add(accept + " of it: " + new String(other.body(), UTF_8));
      }
    }
    var bytes =
        send(
            Request.get(path, "").withHeader("accept", "application/vnd.kubernetes.protobuf"),
            problems);
    if (bytes.status() != 200 && bytes.status() != 406) {
      problems.add("protobuf of it: " + bytes.status());
    }
    var again = send(Request.of("PUT", path, "application/json", read.body()), problems);
    boolean same =
        again.status() == 200
            ? json(again).equals(object)
            : again.status() == 405 || isAboutSameName(json(again));
    if (!same) {
      problems.add("stored " + object + " but refused: " + new String(again.body(), UTF_8));
    }
    if (answer.status() == 201) {
      remove(path, problems);
    }
  }

  /** Every cause, so that nothing else hides behind it. */
  private static boolean isAboutSameName(JsonNode status) {
    var causes = status.at("/details/causes");
    return !causes.isEmpty()
        && causes.valueStream().allMatch(one -> one.path("message").asText().endsWith(SAME_NAME));
  }

  private void remove(String path, List<String> problems) throws InterruptedException {
    var none = new byte[0];
    send(new Request("DELETE", path, "gracePeriodSeconds=0", Headers.NONE, none), problems);
    if (send(Request.get(path, ""), problems).status() == 200) {
      var free = "{\"metadata\":{\"finalizers\":null}}".getBytes(UTF_8);
      send(Request.of("PATCH", path, "application/merge-patch+json", free), problems);
    }
  }

  private static boolean isWrite(Request request) {
    return List.of("POST", "PUT", "PATCH").contains(request.method());
  }

  private static boolean needsNode(Request request) {
    return NEEDS_A_NODE.stream().anyMatch(word -> decoded(request.path()).contains("/" + word));
  }

  private static String contentType(Response answer) {
    return answer.headers().first("content-type").orElse("");
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, UTF_8) + text;
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  /** Missing when it is not JSON. */
  private static JsonNode json(Response answer) {
    try {
      return contentType(answer).startsWith("application/json")
          ? JSON.readTree(answer.body())
          : JSON.missingNode();
    } catch (IOException e) {
      return JSON.missingNode();
    }
  }
}
