package dev.regroup.cli.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.group.GroupReport;
import dev.regroup.cli.run.ClusterEvent;
import dev.regroup.cli.run.ClusterReport;
import dev.regroup.cli.run.RunView;
import dev.regroup.client.ObjectKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes the frames of one page: a row for each JobSet that changed, and of the chosen one its
 * report, its workers and its events, as far as the page does not know them. Remembers what it
 * sent; one thread at a time, but for {@link #concerns}.
 */
final class PageFrames {

  private static final int MOST_EVENTS = 300; // at first; later ones come as they happen

  private final Optional<ObjectKey> chosen;
  private final Map<ObjectKey, ObjectNode> rows = new HashMap<>(); // as sent, like the rest
  private final Map<String, ObjectNode> workers = new HashMap<>();
  private final Map<String, String> events = new HashMap<>();
  private boolean first = true;

  PageFrames(Optional<ObjectKey> chosen) {
    this.chosen = chosen;
  }

  boolean concerns(ClusterEvent event) {
    return chosen.filter(event::concerns).isPresent();
  }

  /** What is new; empty if nothing is. */
  Optional<ObjectNode> of(WatchedCluster.Look look, Set<ObjectKey> changed, Instant now) {
    var frame = Wire.object().put("first", first);
    var groups = frame.putArray("groups");
    var gone = frame.putArray("gone");
    for (var key : changed) {
      var jobSet = look.jobSet(key);
      if (jobSet.isEmpty()) {
        if (rows.remove(key) != null) {
          gone.add(key.toString());
        }
        continue;
      }
      var pods = look.pods(key);
      var report = ClusterReport.of(jobSet.get(), pods, now);
      var tree = report.tree();
      var status = GroupReport.of(jobSet.get(), pods);
      var row = row(key, status, tree);
      if (!row.equals(rows.put(key, row))) {
        groups.add(row);
      }
      if (chosen.filter(key::equals).isPresent()) {
        frame.set("group", group(status, report.view(), tree, pods));
      }
    }
    chosen.ifPresent(key -> events(look, key, frame.putArray("events")));
    boolean empty =
        groups.isEmpty() && gone.isEmpty() && !frame.has("group") && frame.path("events").isEmpty();
    if (empty && !first) {
      return Optional.empty();
    }
    first = false;
    return Optional.of(frame);
  }

  private static ObjectNode row(ObjectKey key, GroupReport status, ObjectNode report) {
    var row = Wire.object().put("key", key.toString());
    row.put("namespace", key.namespace()).put("name", key.name()).put("state", status.state());
    status.attempt().ifPresent(attempt -> row.put("attempt", attempt));
    row.put("inPlace", status.inPlace());
    row.put("used", status.used()).put("allowed", status.allowed());
    row.put("restarts", report.path("restarts").size() + report.path("forgotten").asInt());
    row.put("began", report.path("began").asText());
    if (report.has("goodput")) {
      row.set("goodput", report.path("goodput").path("ratio"));
    }
    return row;
  }

  /** The report without its lanes, which the page asks for when they changed. */
  private ObjectNode group(
      GroupReport status, RunView view, ObjectNode report, List<ObjectNode> pods) {
    var group = Wire.object();
    group.set("status", status.json());
    view.restart()
        .ifPresent(restart ->
            group
                .putObject("underWay")
                .put("kind", restart.stage() == RunView.Stage.MADE_ANEW ? "recreation" : "inPlace")
                .put("attempt", restart.attempt())
                .put("since", restart.since().toString())
                .put("cause", restart.blame().cause()));
    workers(view, report, pods, group);
    report.remove("workers");
    report.path("restarts").forEach(restart -> ((ObjectNode) restart).remove("pods"));
    group.set("report", report);
    return group;
  }

  private void workers(RunView view, ObjectNode report, List<ObjectNode> pods, ObjectNode group) {
    var facts = new HashMap<String, JsonNode>();
    report.path("workers").forEach(worker -> facts.put(worker.path("pod").asText(), worker));
    var trees = new HashMap<String, ObjectNode>();
    pods.forEach(pod -> trees.put(Trees.text(pod, "metadata", "name"), pod));
    var news = group.putArray("workers");
    var there = new HashSet<String>();
    for (var worker : view.workers()) {
      var fact = facts.getOrDefault(worker.pod(), Wire.object());
      var pod = trees.getOrDefault(worker.pod(), Wire.object());
      var cell = Wire.object().put("pod", worker.pod()).put("name", worker.name());
      cell.put("number", worker.number());
      cell.put("sign", worker.shown().name().toLowerCase(Locale.ROOT).replace('_', '-'));
      for (String field : List.of("rank", "phase", "attempt", "restarts", "progress")) {
        if (fact.has(field)) {
          cell.set(field, fact.path(field));
        }
      }
      cell.put("node", Trees.text(pod, "spec", "nodeName"));
      containers(pod, cell.putArray("containers"));
      there.add(worker.pod());
      if (!cell.equals(workers.put(worker.pod(), cell))) {
        news.add(cell);
      }
    }
    var left = group.putArray("left");
    workers.keySet().stream().filter(pod -> !there.contains(pod)).forEach(left::add);
    workers.keySet().retainAll(there);
  }

  /** The main ones first: their output is asked for most. */
  private static void containers(ObjectNode pod, ArrayNode names) {
    for (String list : List.of("containers", "initContainers")) {
      Trees.objects(pod, "spec", list).forEach(one -> names.add(Trees.text(one, "name")));
    }
  }

  private void events(WatchedCluster.Look look, ObjectKey key, ArrayNode news) {
    var all = look.events(key);
    for (var event : all.subList(Math.max(0, all.size() - MOST_EVENTS), all.size())) {
      String id = event.key().toString();
      if (!event.resourceVersion().equals(events.put(id, event.resourceVersion()))) {
        news.add(event.value().json(id));
      }
    }
  }
}
