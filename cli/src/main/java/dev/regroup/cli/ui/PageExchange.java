package dev.regroup.cli.ui;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestQuery;
import java.io.IOException;
import java.util.Optional;

/**
 * Answers the browser: asks the door first, then gives files, or what the page asks for. What goes
 * wrong becomes a sentence in JSON that the page shows.
 */
final class PageExchange implements Exchange {

  private final PageDoor door;
  private final PageRequests requests;

  PageExchange(PageDoor door, PageRequests requests) {
    this.door = door;
    this.requests = requests;
  }

  @Override
  public Entry enter(Credentials credentials, Request head) {
    var refusal = refusal(head);
    return refusal.isPresent()
        ? new Entry.Refused(refusal.get())
        : (Entry.Granted) request -> handle(credentials, request);
  }

  private Optional<Answer> refusal(Request head) {
    return switch (door.judge(head)) {
      case PageDoor.Verdict.Welcome _ -> Optional.empty();
      case PageDoor.Verdict.Unknown _ ->
          Optional.of(
              new Answer.Whole(
                  head.path().equals(PageFiles.PAGE)
                      ? PageFiles.login()
                      : trouble(401, "not logged in (open the link that regroup printed)")));
      case PageDoor.Verdict.Refused(int code, String why) ->
          Optional.of(new Answer.Whole(PageFiles.text(code, why)));
    };
  }

  @Override
  public Answer handle(Credentials credentials, Request request) throws InterruptedException {
    var refusal = refusal(request);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    try {
      return request.method().equals("POST") ? changed(request) : read(request);
    } catch (CliFailure e) {
      return new Answer.Whole(trouble(status(e.code()), String.valueOf(e.getMessage())));
    } catch (ApiFailure | Transport.Unreachable e) {
      return new Answer.Whole(trouble(502, "the cluster does not answer: " + e.getMessage()));
    } catch (IOException | Refused e) {
      return new Answer.Whole(trouble(400, "cannot be read: " + e.getMessage()));
    }
  }

  private Answer read(Request request)
      throws CliFailure, ApiFailure, Transport.Unreachable, Refused, InterruptedException {
    String path = request.path();
    if (PageFiles.isDetour(path)) {
      return new Answer.Whole(PageFiles.elsewhere(PageFiles.PAGE));
    }
    if (path.equals(PageFiles.PAGE)) {
      return new Answer.Whole(PageFiles.page());
    }
    var query = RequestQuery.parse(request.query());
    return switch (path) {
      case PageFiles.API + "live" -> requests.live(query);
      case PageFiles.API + "report" -> whole(requests.report(query));
      case PageFiles.API + "explain" -> whole(requests.explain(query));
      case PageFiles.API + "logs" -> requests.logs(query);
      default ->
          new Answer.Whole(
              PageFiles.file(path).orElseGet(() -> trouble(404, "nothing is at " + path)));
    };
  }

  private Answer changed(Request request) throws CliFailure, IOException, InterruptedException {
    var body = Wire.tree(request.body());
    return switch (request.path()) {
      case PageFiles.LOGIN ->
          new Answer.Whole(
              door.login(Trees.text(body, "token"))
                  .map(PageExchange::cookie)
                  .orElseGet(() -> trouble(401, "this token is not the one that was printed")));
      case PageFiles.API + "restart" -> whole(requests.restart(body));
      default -> new Answer.Whole(trouble(404, "nothing is at " + request.path()));
    };
  }

  private static Response cookie(String value) {
    var answer = PageFiles.json(200, "{}");
    return new Response(200, answer.headers().and("set-cookie", value), answer.body());
  }

  private static Answer whole(Object tree) {
    return new Answer.Whole(PageFiles.json(200, new String(Wire.write(tree), UTF_8)));
  }

  private static Response trouble(int code, String text) {
    return PageFiles.json(code, Wire.text(Wire.object().put("trouble", text)));
  }

  private static int status(CliFailure.Code code) {
    return switch (code) {
      case USAGE -> 400;
      case NOT_FOUND -> 404;
      case TIMED_OUT -> 504;
      case FAILED -> 409;
    };
  }
}
