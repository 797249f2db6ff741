package dev.regroup.cli.ui;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSet;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.ObjectCheck;
import dev.regroup.cli.explain.ExitQuestion;
import dev.regroup.cli.explain.Explainer;
import dev.regroup.cli.explain.ExplanationText;
import dev.regroup.cli.group.RestartAsk;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.run.ClusterReport;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.QueryString;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.RequestQuery;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/** What the page can ask for. Every answer is that of a command, as JSON. Any thread. */
final class PageRequests {

  private static final Duration PATIENCE = Duration.ofMinutes(2); // for a restart
  private static final Duration FIRST_LOOK = Duration.ofSeconds(30);
  private static final String MOST_LINES = "2000";

  private final Transport transport;
  private final WatchedCluster cluster;
  private final Gates gates;
  private final InstantSource clock;

  PageRequests(Transport transport, WatchedCluster cluster, Gates gates, InstantSource clock) {
    this.transport = transport;
    this.cluster = cluster;
    this.gates = gates;
    this.clock = clock;
  }

  /** All JobSets, and everything of the one that is named, as it changes. */
  Answer live(RequestQuery query) {
    var chosen =
        query.text("name").isEmpty() ? Optional.<ObjectKey>empty() : Optional.of(key(query));
    return new Answer.Streamed(
        new LiveNews(cluster, new PageFrames(chosen), clock), Answer.Framing.BYTES);
  }

  /** As {@code regroup timeline -o json} has it. */
  ObjectNode report(RequestQuery query)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var key = key(query);
    try (var look = cluster.look(WatchedCluster.Onlooker.NOBODY)) {
      if (!look.awaitSynced(FIRST_LOOK)) {
        throw new CliFailure(CliFailure.Code.TIMED_OUT, "the cluster was not read in time", null);
      }
      var jobSet = look.jobSet(key).orElseThrow(() -> missing(key));
      return ClusterReport.of(jobSet, look.pods(key), clock.instant()).tree();
    }
  }

  /** What happens on which exit; with {@code exit}, such as {@code worker=42}, one sentence. */
  ObjectNode explain(RequestQuery query)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var key = key(query);
    var found = new ApiClient(transport).get(Kinds.JOB_SETS, key).orElseThrow(() -> missing(key));
    var checked = new ObjectCheck(gates, gates.decoding()).check(written(found));
    if (!checked.ok()) {
      throw new CliFailure(
          "this JobSet cannot be explained here: "
              + checked.findings().stream()
                  .filter(Finding::isError)
                  .findFirst()
                  .map(error -> error.field() + ": " + error.message())
                  .orElse(""));
    }
    var object = checked.admitted().orElseThrow();
    var explainer = Explainer.of(gates);
    var answer = Wire.object();
    if (!query.text("exit").isEmpty()) {
      var question = question(query.text("exit"));
      var sentences = answer.putArray("sentences");
      for (var template : checked.templates()) {
        explainer
            .explain(object, template, question)
            .map(ExplanationText::sentence)
            .map(String::strip)
            .ifPresent(sentences::add);
      }
      if (sentences.isEmpty()) {
        throw new CliFailure(
            CliFailure.Code.NOT_FOUND, "no container \"%s\"".formatted(question.container()), null);
      }
      return answer;
    }
    var tables = answer.putArray("tables");
    for (var template : checked.templates()) {
      var table = tables.addObject().put("replicatedJob", template.replicatedJob());
      var rows = table.putArray("rows");
      for (var line : ExplanationText.cells(explainer.explain(object, template))) {
        var row = rows.addArray();
        line.forEach(row::add);
      }
    }
    return answer;
  }

  private static ExitQuestion question(String text) throws CliFailure {
    return ExitQuestion.parse(text)
        .orElseThrow(() ->
            new CliFailure(
                CliFailure.Code.USAGE,
                "\"%s\" is no exit (0 to 255, a signal such as SIGKILL, or OOMKilled)"
                    .formatted(text.substring(text.indexOf('=') + 1)),
                null));
  }

  /** A container's output from its last lines on, for as long as it writes. */
  Answer logs(RequestQuery query) throws Transport.Unreachable, InterruptedException {
    var path = Kinds.PODS.path(new ObjectKey(query.text("namespace"), query.text("pod")), "log");
    var wanted =
        new QueryString()
            .add("container", query.text("container"))
            .add("tailLines", MOST_LINES)
            .add(query.flag("previous") ? "previous" : "follow", "true");
    var stream = transport.open(Request.get(path, wanted.toString()));
    return new Answer.Streamed(new ContainerLog(stream), Answer.Framing.BYTES);
  }

  /** As {@code regroup restart} does; answers when it runs again. */
  ObjectNode restart(ObjectNode body) throws CliFailure, InterruptedException {
    var target = Target.of(Trees.text(body, "target"), Trees.text(body, "namespace"));
    var wish =
        new RestartAsk.Wish(
            UUID.randomUUID().toString(),
            Trees.text(body, "reason"),
            OptionalInt.empty(),
            target.kind() == Target.Kind.JOB_SET && Trees.isTrue(body, "uncounted"));
    return Wire.object().put("said", new RestartAsk(transport, PATIENCE).restart(target, wish));
  }

  /** Without what only a stored object has. */
  private static ObjectNode written(ObjectNode stored) {
    var object = Wire.object().put("apiVersion", JobSet.API_VERSION).put("kind", JobSet.KIND);
    var metadata = object.putObject("metadata");
    for (String field : List.of("name", "namespace", "labels", "annotations")) {
      if (Trees.has(stored, "metadata", field)) {
        metadata.set(field, Trees.at(stored, "metadata", field).deepCopy());
      }
    }
    object.set("spec", stored.path("spec").deepCopy());
    return object;
  }

  private static ObjectKey key(RequestQuery query) {
    return new ObjectKey(query.text("namespace"), query.text("name"));
  }

  private static CliFailure missing(ObjectKey key) {
    return new CliFailure(
        CliFailure.Code.NOT_FOUND,
        "no JobSet \"%s\" in namespace %s".formatted(key.name(), key.namespace()),
        null);
  }
}
