package dev.regroup.server;

import dev.regroup.client.Request;
import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts and times what goes through the exchange, under the names Kubernetes uses. A request for a
 * resource that has never been answered with success carries no resource in its labels: otherwise
 * whoever asks for nonsense would make new series. Streams are counted when they begin, and not
 * timed.
 */
final class MeteredExchange implements Exchange {

  static final MetricFamily REQUESTS =
      MetricFamily.counter(
          "apiserver_request_total",
          "Requests to the API server",
          "verb",
          "group",
          "version",
          "resource",
          "subresource",
          "code");

  static final MetricFamily DURATION =
      MetricFamily.histogram(
          "apiserver_request_duration_seconds",
          "Time from a request to its answer, without streams",
          "verb",
          "group",
          "version",
          "resource",
          "subresource");

  private record Target(String group, String version, String resource, String subresource) {
    static final Target NONE = new Target("", "", "", "");
  }

  private final Exchange exchange;
  private final Metrics metrics;
  private final Set<Target> known = ConcurrentHashMap.newKeySet();

  MeteredExchange(Exchange exchange, Metrics metrics) {
    this.exchange = exchange;
    this.metrics = metrics;
  }

  @Override
  public Entry enter(Credentials credentials, Request head) {
    return switch (exchange.enter(credentials, head)) {
      case Entry.Refused refused -> {
        count(head, refused.answer(), Duration.ZERO); // its body is never read
        yield refused;
      }
      case Entry.Granted granted -> (Entry.Granted) request -> metered(granted, request);
    };
  }

  private Answer metered(Entry.Granted granted, Request request) throws InterruptedException {
    long began = System.nanoTime();
    var answer = granted.handle(request);
    count(request, answer, Duration.ofNanos(System.nanoTime() - began));
    return answer;
  }

  @Override
  public Answer handle(Credentials credentials, Request request) throws InterruptedException {
    return metered(whole -> exchange.handle(credentials, whole), request);
  }

  private void count(Request request, Answer answer, Duration took) {
    String verb;
    Target target;
    try {
      var info = RequestInfo.of(request);
      verb = info.verb().name();
      target =
          info.isResource()
              ? new Target(info.group(), info.version(), info.resource(), info.subresource())
              : Target.NONE;
    } catch (Refused refused) {
      verb = "";
      target = Target.NONE;
    }
    int code = answer instanceof Answer.Whole(var response) ? response.status() : 200;
    if (code < 400) {
      known.add(target);
    } else if (!known.contains(target)) {
      target = Target.NONE;
    }
    metrics.count(
        REQUESTS,
        verb,
        target.group(),
        target.version(),
        target.resource(),
        target.subresource(),
        Integer.toString(code));
    if (answer instanceof Answer.Whole) {
      metrics.took(
          DURATION,
          took,
          verb,
          target.group(),
          target.version(),
          target.resource(),
          target.subresource());
    }
  }
}
