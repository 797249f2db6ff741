package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.cli.screen.ProgramVersion;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.progress.Goodput;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgressStep;
import dev.regroup.rules.progress.RestartCost;
import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what a run came to, as a tree: the file {@code report.json}, from which every text
 * and page is made (docs/reference/report.md). Pure; what is not known is left out.
 */
final class RunReport {

  static final String FORMAT = "regroup.dev/report";
  static final int VERSION = 1;

  /**
   * What the run itself knows.
   *
   * @param result such as {@code failed}
   * @param why lines that name who ended it, or what it waited for
   * @param story what was said, oldest first
   * @param lastLines the last output of an instance of a container
   */
  record Circumstances(
      String result,
      Instant began,
      Instant ended,
      List<String> why,
      List<Said> story,
      Function<ContainerId, List<String>> lastLines) {}

  /** A line that was said. */
  record Said(Instant at, String text) {}

  private final RunProgress progress;
  private final Circumstances around;
  private final List<RestartFact> restarts;

  private RunReport(RunProgress progress, Circumstances around) {
    this.progress = progress;
    this.around = around;
    this.restarts = RestartFact.of(progress, around.ended());
  }

  static ObjectNode tree(RunProgress progress, Circumstances around) {
    return new RunReport(progress, around).tree();
  }

  /** The share of the time that was of use; empty if no pod tells anything. */
  static Optional<Goodput> goodput(
      RunProgress progress, List<RestartCost> costs, Instant began, Instant now) {
    var firsts =
        progress.counts().pods().stream()
            .map(pod ->
                new RestartCost.Share(pod.name(), RestartFact.firstStart(pod), ProgramBreak.UNSEEN))
            .filter(share -> !share.moments().isEmpty())
            .toList();
    if (firsts.isEmpty()) {
      return Optional.empty();
    }
    // Those that came later replace others: the first start is over with the earliest of them.
    var first =
        costs.stream().map(RestartCost::began).min(Comparator.naturalOrder()).orElse(Instant.MAX);
    var original =
        firsts.stream()
            .filter(share -> share.moments().values().stream().anyMatch(at -> at.isBefore(first)))
            .toList();
    var start = RestartCost.of(original.isEmpty() ? firsts : original, began, null);
    boolean toldSteps =
        progress.counts().pods().stream().anyMatch(pod -> pod.restarts().life().step() != null);
    var measure = start.measure() == Measure.OUTPUT && toldSteps ? Measure.STEPS : start.measure();
    var works = isStarting(progress, costs) ? null : start.works();
    return Optional.of(Goodput.of(began, now, works, measure, costs));
  }

  /** Until all run for the first time nobody can say when that was. */
  private static boolean isStarting(RunProgress progress, List<RestartCost> costs) {
    return costs.isEmpty()
        && progress.result().isEmpty()
        && progress.livePods().stream()
            .filter(pod -> !pod.isDeleted())
            .anyMatch(RunViews::isToStart);
  }

  /** What is under way costs, too. */
  static List<RestartCost> costs(
      List<RestartFact> facts, List<RunProgress.GroupRestart> underWay, Instant now) {
    var costs = new ArrayList<>(facts.stream().map(RestartFact::cost).toList());
    for (var one : underWay) {
      costs.add(RestartCost.of(List.of(), one.startedAt(), now));
    }
    return costs;
  }

  /** The newest step any pod told. */
  static @Nullable ProgressStep step(RunProgress progress) {
    return progress.counts().pods().stream()
        .map(pod -> pod.restarts().life().step())
        .filter(Objects::nonNull)
        .max(Comparator.comparing(ProgressStep::at))
        .orElse(null);
  }

  private ObjectNode tree() {
    var tree = Wire.object().put("format", FORMAT).put("version", VERSION);
    tree.put("program", "regroup " + ProgramVersion.number());
    tree.put("result", around.result());
    put(tree, "began", around.began());
    put(tree, "ended", around.ended());
    seconds(tree, "seconds", Duration.between(around.began(), around.ended()));
    tree.put("restartsInWords", progress.counts().words());
    var why = tree.putArray("why");
    around.why().forEach(why::add);
    workloads(tree);
    var costs = costs(restarts, progress.underWay(), around.ended());
    goodput(progress, costs, around.began(), around.ended())
        .ifPresent(goodput -> goodput(tree.putObject("goodput"), goodput));
    var step = step(progress);
    if (step != null) {
      step(tree.putObject("progress"), step);
    }
    int inPlace =
        (int) restarts.stream().filter(one -> one.kind() == RestartFact.Kind.IN_PLACE).count();
    tree.put("forgotten", progress.counts().forgotten(inPlace));
    var list = tree.putArray("restarts");
    for (int i = 0; i < restarts.size(); i++) {
      restart(list.addObject(), tree.path("forgotten").asInt() + i + 1, restarts.get(i));
    }
    failures(tree);
    var hints = tree.putArray("hints");
    Hints.of(restarts).forEach(hints::add);
    workers(tree);
    var story = tree.putArray("story");
    for (var said : around.story()) {
      var line = story.addObject();
      seconds(line, "seconds", Duration.between(around.began(), said.at()));
      line.put("text", said.text());
    }
    var events = tree.putArray("events");
    progress.events().forEach(event -> events.add(event.json()));
    return tree;
  }

  private void workloads(ObjectNode tree) {
    var list = tree.putArray("workloads");
    progress
        .workloads()
        .forEach((key, result) -> {
          String[] parts = key.split("/", -1);
          list.addObject()
              .put("kind", parts[0])
              .put("namespace", parts[1])
              .put("name", parts[2])
              .put(
                  "result",
                  result.map(one -> one.name().toLowerCase(Locale.ROOT)).orElse("unfinished"));
        });
  }

  private static void goodput(ObjectNode tree, Goodput goodput) {
    tree.put("ratio", Math.round(goodput.ratio() * 10_000) / 10_000.0);
    seconds(tree, "usefulSeconds", goodput.useful());
    seconds(tree, "startingSeconds", goodput.starting());
    seconds(tree, "downSeconds", goodput.down());
    seconds(tree, "redoingSeconds", goodput.redoing());
    tree.put("measure", goodput.measure().word());
  }

  private static void step(ObjectNode tree, ProgressStep step) {
    tree.put("step", step.number());
    if (step.total() > 0) {
      tree.put("total", step.total());
    }
    put(tree, "at", step.at());
  }

  private void restart(ObjectNode tree, int number, RestartFact fact) {
    var cost = fact.cost();
    tree.put("number", number).put("kind", fact.kind().word()).put("workload", title(fact));
    if (fact.attempt() > 0) {
      tree.put("attempt", fact.attempt());
    }
    put(tree, "began", cost.began());
    put(tree, "works", cost.works());
    put(tree, "back", cost.back());
    seconds(tree, "downSeconds", cost.down());
    if (!fact.settled()) {
      tree.put("underWay", true);
    }
    if (cost.back() != null) {
      seconds(tree, "redoingSeconds", Duration.between(cost.works(), cost.back()));
    }
    tree.put("measure", cost.measure().word());
    steps(tree, cost.reached(), cost.resumed());
    if (cost.redone() >= 0) {
      tree.put("redoneSteps", cost.redone());
    }
    var stages = tree.putArray("stages");
    Instant from = cost.began();
    for (var span : cost.stages().spans()) {
      var stage = stages.addObject().put("until", span.until().words());
      seconds(stage, "seconds", span.took());
      put(stage, "from", from);
      from = from.plus(span.took());
      put(stage, "to", from);
    }
    var waits = tree.putArray("waits");
    for (var wait : cost.waits()) {
      seconds(waits.addObject().put("pod", wait.pod()), "seconds", wait.took());
    }
    if (!fact.cause().isEmpty()) {
      tree.put("cause", fact.cause());
    }
    if (!fact.culprit().isEmpty()) {
      var culprit = tree.putObject("culprit").put("pod", fact.culprit());
      var log = culprit.putArray("log");
      around.lastLines().apply(fact.instance()).forEach(log::add);
    }
    if (!fact.slowest().isEmpty()) {
      tree.put("slowest", fact.slowest());
    }
    var pods = tree.putArray("pods");
    fact.pods().forEach(part -> part(pods.addObject(), part));
  }

  private static void part(ObjectNode tree, RestartFact.Part part) {
    tree.put("pod", part.pod().name()).put("role", part.role().word());
    put(tree, "lastOutput", part.program().lastOutput());
    steps(tree, part.program().reached(), part.program().resumed());
    var moments = tree.putObject("moments");
    for (var moment : Moment.values()) {
      put(moments, RestartHistories.name(moment), part.moments().get(moment));
    }
  }

  private static void steps(ObjectNode tree, long reached, long resumed) {
    if (reached >= 0) {
      tree.put("reachedStep", reached);
    }
    if (resumed >= 0) {
      tree.put("resumedStep", resumed);
    }
  }

  private void failures(ObjectNode tree) {
    var list = tree.putArray("failures");
    progress
        .workloads()
        .forEach((key, result) -> {
          var culprit = progress.culprit(key);
          if (!result.equals(Optional.of(RunProgress.Result.FAILED)) || culprit.isEmpty()) {
            return;
          }
          var fault = culprit.get();
          var failure = list.addObject().put("workload", title(key)).put("pod", fault.pod());
          failure.put("words", fault.words());
          put(failure, "at", fault.at());
          var log = failure.putArray("log");
          around.lastLines().apply(fault.instance()).forEach(log::add);
          var followed = failure.putArray("followed");
          progress.counts().pods().stream()
              .filter(pod -> pod.workload().equals(key))
              .filter(pod -> pod.round().equals(fault.round()))
              .map(FollowedPod::name)
              .filter(name -> !name.equals(fault.pod()))
              .sorted()
              .forEach(followed::add);
        });
  }

  private void workers(ObjectNode tree) {
    var list = tree.putArray("workers");
    progress.counts().pods().stream()
        .sorted(FollowedPod.IN_ORDER)
        .forEach(pod -> {
          var worker = list.addObject().put("worker", pod.shortName()).put("pod", pod.name());
          worker.put("workload", title(pod.workload()));
          pod.rank().ifPresent(rank -> worker.put("rank", rank));
          worker.put("phase", pod.status().phase().wireName());
          pod.status().attempt().ifPresent(attempt -> worker.put("attempt", attempt));
          worker.put("restarts", pod.restarts().completed());
          var life = pod.restarts().life();
          put(worker, "started", life.started());
          put(worker, "firstOutput", life.firstOutput());
          put(worker, "lastOutput", life.lastOutput());
          if (life.step() != null) {
            step(worker.putObject("progress"), life.step());
          }
        });
  }

  private static String title(RestartFact fact) {
    return title(fact.workload());
  }

  private static String title(String key) {
    String[] parts = key.split("/", -1);
    return parts[0].toLowerCase(Locale.ROOT) + "/" + parts[2];
  }

  private static void put(ObjectNode tree, String field, @Nullable Instant at) {
    if (at != null && at.isBefore(Instant.MAX)) {
      tree.put(field, at.truncatedTo(ChronoUnit.MILLIS).toString());
    }
  }

  /** To the millisecond. */
  private static void seconds(ObjectNode tree, String field, Duration duration) {
    tree.put(field, Math.round(duration.toNanos() / 1e6) / 1e3);
  }
}
