package dev.regroup.server;

import dev.regroup.api.cel.GoDurations;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.body.PrettyJson;
import dev.regroup.server.resource.ServedKinds;
import dev.regroup.server.wire.Accept;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.Verb;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchange: who asks, may they, what do they want, and the answer or the refusal. All routes
 * begin here and all failures end here.
 */
final class Pipeline implements Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);

  /** The largest body of a request: 3 MiB, as Kubernetes. */
  static final int BODY_LIMIT = 3 * 1024 * 1024;

  private final Access access;
  private final ServedKinds kinds;
  private final SelfDescription description;
  private final ResourceRoutes resources;

  Pipeline(
      Access access, ServedKinds kinds, SelfDescription description, ResourceRoutes resources) {
    this.access = access;
    this.kinds = kinds;
    this.description = description;
    this.resources = resources;
  }

  /** A request whose sender may ask it. */
  private record Allowed(Identity asker, RequestInfo info) {}

  /** What is allowed already, or has yet to be asked about. */
  private interface Permission {
    Allowed get() throws Refused;
  }

  @Override
  public Entry enter(Credentials credentials, Request head) {
    try {
      var allowed = authorized(credentials, head);
      return (Entry.Granted) request -> handle(() -> allowed, request);
    } catch (Refused refused) {
      return new Entry.Refused(refusal(head, refused));
    }
  }

  private Allowed authorized(Credentials credentials, Request request) throws Refused {
    var sender = access.authenticate(credentials);
    var info = RequestInfo.of(request);
    return new Allowed(access.authorize(credentials, sender, request.headers(), info), info);
  }

  @Override
  public Answer handle(Credentials credentials, Request request) throws InterruptedException {
    return handle(() -> authorized(credentials, request), request);
  }

  private Answer handle(Permission permission, Request request) throws InterruptedException {
    var answer = answerOrRefusal(permission, request);
    return answer instanceof Answer.Whole(Response response)
        ? new Answer.Whole(PrettyJson.of(request, response))
        : answer;
  }

  private Answer answerOrRefusal(Permission permission, Request request)
      throws InterruptedException {
    try {
      return answer(permission.get(), request);
    } catch (Refused refused) {
      return refusal(request, refused);
    } catch (RuntimeException | StackOverflowError bug) {
      LOG.error("{} {} failed", request.method(), request.path(), bug);
      return refusal(
          request, new Refused(Status.internalError("the server failed, its log says why")));
    }
  }

  private Answer answer(Allowed allowed, Request request) throws Refused, InterruptedException {
    var call = Call.of(allowed.asker(), allowed.info(), request, kinds.now());
    checkTimeout(call);
    if (request.body().length > BODY_LIMIT) {
      throw new Refused(Status.tooLarge(BODY_LIMIT));
    }
    try {
      return call.info().isResource() ? resources.route(call) : description.route(call);
    } catch (Refused refused) {
      throw refused.after(call.warnings());
    }
  }

  /** How long a client waits is its own business, but it has to be a time. */
  private static void checkTimeout(Call call) throws Refused {
    var text = call.query().text("timeout");
    if (text.isEmpty() || GoDurations.parse(text).isPresent() || call.info().verb() == Verb.WATCH) {
      return;
    }
    boolean number = text.chars().allMatch(Character::isDigit);
    throw Refused.badRequest(
        "invalid timeout specified in the request URL - time: %s duration %s"
            .formatted(number ? "missing unit in" : "invalid", GoText.quote(text)));
  }

  private static Answer refusal(Request request, Refused refused) {
    var format = Accept.ofStatus(request.headers().all("accept")).format();
    var headers = Presenter.headers(format.mediaType(), refused.warnings());
    if (Status.isTransient(refused.code())) {
      headers = headers.and("retry-after", String.valueOf(Status.RETRY_SECONDS));
    }
    return new Answer.Whole(
        new Response(refused.code(), headers, Presenter.bytes(format, refused.status())));
  }

  /** An answer of plain text, for paths outside of the API. */
  static Answer text(int code, String text) {
    return new Answer.Whole(
        new Response(
            code,
            Presenter.headers("text/plain; charset=utf-8", List.of()),
            text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }
}
