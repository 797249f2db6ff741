package dev.regroup.cli.live;

import dev.regroup.cli.live.ViewModel.Line;
import dev.regroup.cli.live.ViewModel.Page;
import dev.regroup.cli.run.RunView;
import dev.regroup.cli.run.RunView.Sign;
import dev.regroup.cli.run.RunView.Stage;
import dev.regroup.rules.progress.Goodput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a terminal of some size shows of a {@link ViewModel}: as many lines as it has rows, none
 * wider than its columns. A pure function.
 *
 * <pre>
 * header        what runs, how far it is, what was of use
 * workers       a sign each; beyond {@link #MOST_NAMED} a map of signs without numbers
 * story         of the restart under way, else what restarts cost so far
 * lines         of workers, events or restarts
 * keys
 * </pre>
 */
final class Frame {

  private static final int MOST_NAMED = 32;

  private final ViewModel view;
  private final int columns;
  private final int rows;
  private final List<String> lines = new ArrayList<>();

  private Frame(ViewModel view, int columns, int rows) {
    this.view = view;
    this.columns = columns;
    this.rows = rows;
  }

  static List<String> of(ViewModel view, int columns, int rows) {
    return new Frame(view, Math.max(20, columns), Math.max(6, rows)).draw();
  }

  private List<String> draw() {
    add(header());
    workers().forEach(this::add);
    story().forEach(this::add);
    add("─".repeat(columns));
    int room = rows - lines.size() - 2;
    var below = below(Math.max(0, room));
    below.forEach(this::add);
    for (int i = below.size(); i < room; i++) {
      add("");
    }
    add("─".repeat(columns));
    add(keys());
    return lines.subList(0, Math.min(rows, lines.size()));
  }

  private void add(String line) {
    lines.add(Columns.cut(line, columns));
  }

  private String header() {
    var run = view.run();
    var parts = new ArrayList<String>();
    parts.add(run.title());
    parts.add(state());
    if (run.attempt() >= 0) {
      parts.add(
          "attempt %d%s"
              .formatted(run.attempt(), run.maxRestarts() < 0 ? "" : " of " + run.maxRestarts()));
    }
    parts.add(clock(Duration.between(run.began(), view.now())));
    run.goodput()
        .filter(goodput -> !goodput.useful().isZero())
        .ifPresent(goodput -> parts.add("goodput " + percent(goodput)));
    var step = view.step();
    if (step != null) {
      boolean goesOn = run.restart().isEmpty() && run.result().isEmpty();
      String left = goesOn ? view.left().map(time -> " eta " + clock(time)).orElse("") : "";
      parts.add("step " + step.words() + left);
    }
    return " " + String.join("  ", parts);
  }

  private String state() {
    var run = view.run();
    if (view.stopping()) {
      return "STOPPING";
    }
    if (run.result().isPresent()) {
      return run.result().get().name();
    }
    if (run.restart().isPresent()) {
      return "RESTARTING";
    }
    long running = run.count(Sign.RUNNING) + run.count(Sign.DONE);
    return running > 0 && running == run.workers().size() ? "RUNNING" : "STARTING";
  }

  private List<String> workers() {
    var all = view.run().workers();
    if (all.isEmpty()) {
      return List.of(" no pods yet");
    }
    return all.size() <= MOST_NAMED ? named(all) : map(all);
  }

  private List<String> named(List<RunView.Worker> all) {
    var lines = new ArrayList<String>();
    var line = new StringBuilder(" worker ");
    for (var worker : all) {
      String one = " %d %c".formatted(worker.number(), symbol(worker));
      if (Columns.width(line.toString()) + one.length() > columns - 1) {
        lines.add(line.toString());
        line = new StringBuilder("        ");
      }
      line.append(one);
    }
    int room = columns - Columns.width(line.toString()) - 3;
    String counts = counts(all, true);
    if (counts.length() > room) { // a line more would move all others, just when one reads them
      counts = counts(all, false);
    }
    if (counts.length() > room) {
      lines.add(line.toString());
      line = new StringBuilder("        ");
    }
    lines.add(line.append("   ").append(counts).toString());
    return lines;
  }

  /** Where there are more workers than cells, a cell shows the worst of several. */
  private List<String> map(List<RunView.Worker> all) {
    int width = Math.max(1, columns - 9);
    int most = Math.max(1, rows / 3);
    int each = (all.size() + width * most - 1) / (width * most);
    var lines = new ArrayList<String>();
    var line = new StringBuilder();
    for (int i = 0; i < all.size(); i += each) {
      if (line.isEmpty()) {
        line.append("%6d  ".formatted(i));
      }
      line.append(worst(all.subList(i, Math.min(all.size(), i + each))));
      if (line.length() >= width + 8) {
        lines.add(line.toString());
        line = new StringBuilder();
      }
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    lines.add(" " + counts(all, true) + (each > 1 ? "  (a sign for " + each + " workers)" : ""));
    return lines;
  }

  private char worst(List<RunView.Worker> some) {
    var worst =
        some.stream().max(Comparator.comparingInt(worker -> badness(worker.shown()))).orElseThrow();
    return symbol(worst);
  }

  private static int badness(Sign sign) {
    return switch (sign) {
      case DONE -> 0;
      case RUNNING -> 1;
      case AT_BARRIER -> 2;
      case STARTING -> 3;
      case STOPPING -> 4;
      case UNSCHEDULABLE -> 5;
      case CULPRIT -> 6;
    };
  }

  private char symbol(RunView.Worker worker) {
    return worker.shown() == Sign.RUNNING && view.silent().contains(worker.pod())
        ? '?'
        : worker.shown().symbol();
  }

  private String counts(List<RunView.Worker> all, boolean inWords) {
    var counts = new ArrayList<String>();
    long running = view.run().count(Sign.RUNNING);
    counts.add("%d/%d running".formatted(running, all.size()));
    for (var sign :
        List.of(
            Sign.STARTING,
            Sign.AT_BARRIER,
            Sign.STOPPING,
            Sign.CULPRIT,
            Sign.UNSCHEDULABLE,
            Sign.DONE)) {
      long number = view.run().count(sign);
      if (number > 0) {
        counts.add("%c %d%s".formatted(sign.symbol(), number, inWords ? " " + sign.words() : ""));
      }
    }
    if (!view.silent().isEmpty()) {
      counts.add("? %d silent".formatted(view.silent().size()));
    }
    return String.join("  ", counts);
  }

  /** Two lines, always: nothing jumps when a restart begins. */
  private List<String> story() {
    var run = view.run();
    if (run.restart().isPresent()) {
      var restart = run.restart().get();
      return List.of(
          " %s %d  %s  %s"
              .formatted(
                  restart.stage() == Stage.MADE_ANEW ? "RECREATION" : "RESTART",
                  restart.attempt(),
                  seconds(Duration.between(restart.since(), view.now())),
                  words(restart.blame())),
          "   " + stages(run, restart.stage()));
    }
    String first = run.restarts().isEmpty() ? " no restarts" : " " + sum(run.restarts());
    String second =
        run.troubles().isEmpty()
            ? run.restarts().isEmpty() ? "" : "   last: " + words(run.restarts().getLast().blame())
            : " ! " + run.troubles().getFirst();
    return List.of(first, second);
  }

  /** Who it was, by the number that the signs have, and the last that it wrote. */
  private String words(RunView.Blame blame) {
    String told =
        view.run().workers().stream()
            .filter(worker -> worker.pod().equals(blame.pod()))
            .findFirst()
            .map(worker ->
                "worker %d%s%s"
                    .formatted(
                        worker.number(),
                        blame.deed().startsWith("container ") ? ": " : " ",
                        blame.deed()))
            .orElse(blame.cause());
    return blame.lastLine().isEmpty() ? told : told + "  \"" + blame.lastLine() + "\"";
  }

  /** How far the group is: who is still being stopped, how many wait, how many run. */
  private String stages(RunView run, Stage stage) {
    long all = run.workers().size();
    long running = run.workers().stream().filter(one -> one.sign() == Sign.RUNNING).count();
    if (stage == Stage.MADE_ANEW) { // for a moment there are none
      return all == 0 || running < all
          ? "▸ made anew, %d/%d run  · first output".formatted(running, all)
          : "✓ made anew  ✓ started  ▸ first output";
    }
    if (stage == Stage.PAST_BARRIER) {
      return running < all
          ? "✓ stopped  ✓ barrier  ▸ start %d/%d  · first output".formatted(running, all)
          : "✓ stopped  ✓ barrier  ✓ started  ▸ first output";
    }
    var toStop = run.workers().stream().filter(Frame::isToStop).toList();
    var others = toStop.stream().filter(worker -> !worker.culprit()).toList();
    long barrier = run.workers().stream().filter(one -> one.sign() == Sign.AT_BARRIER).count();
    return toStop.isEmpty()
        ? "✓ stopped  ▸ barrier %d/%d  · start  · first output".formatted(barrier, all)
        : "▸ stopping %d/%d%s  · barrier %d/%d  · start"
            .formatted(
                all - toStop.size(),
                all,
                others.isEmpty() ? "" : " (waiting for " + numbers(others) + ")",
                barrier,
                all);
  }

  /** Who still runs while its group restarts has not heard of it. */
  private static boolean isToStop(RunView.Worker worker) {
    return switch (worker.sign()) {
      case STOPPING, RUNNING, CULPRIT -> true;
      case STARTING, AT_BARRIER, UNSCHEDULABLE, DONE -> false;
    };
  }

  private static String numbers(List<RunView.Worker> some) {
    String first =
        some.stream()
            .limit(4)
            .map(worker -> Integer.toString(worker.number()))
            .collect(Collectors.joining(", "));
    return some.size() > 4 ? first + " +" + (some.size() - 4) : first;
  }

  private static String sum(List<RunView.Told> restarts) {
    var down = restarts.stream().map(RunView.Told::down).reduce(Duration.ZERO, Duration::plus);
    var redone =
        restarts.stream()
            .map(told -> Optional.ofNullable(told.redoing()).orElse(Duration.ZERO))
            .reduce(Duration.ZERO, Duration::plus);
    return "restarts %d  ·  down %s%s"
        .formatted(
            restarts.size(),
            seconds(down),
            isNothing(redone) ? "" : "  ·  doing again " + seconds(redone));
  }

  private List<String> below(int room) {
    List<String> all =
        switch (view.page()) {
          case LOGS, EVENTS -> {
            int names = view.lines().stream().mapToInt(line -> line.who().length()).max().orElse(0);
            yield view.lines().stream().map(line -> line(line, names)).toList();
          }
          case RESTARTS -> restarts();
        };
    return all.subList(Math.max(0, all.size() - room), all.size());
  }

  /** Names are as wide as the longest: the texts stand below each other. */
  private static String line(Line line, int names) {
    String time = " %8s  ".formatted(tenths(line.since()));
    return line.who().isEmpty()
        ? time + line.text()
        : time + line.who() + " ".repeat(names - line.who().length()) + " | " + line.text();
  }

  private List<String> restarts() {
    if (view.run().restarts().isEmpty()) {
      return List.of(" no restarts");
    }
    var lines = new ArrayList<String>();
    for (var told : view.run().restarts()) {
      var redoing = told.redoing();
      String again =
          redoing == null || isNothing(redoing) ? "" : ", doing again " + seconds(redoing);
      lines.add(
          " %3d  at %s  down %s%s"
              .formatted(
                  told.number(),
                  clock(Duration.between(view.run().began(), told.began())),
                  seconds(told.down()),
                  again));
      lines.add("      " + told.blame().cause());
      if (!told.blame().lastLine().isEmpty()) {
        lines.add("      | " + told.blame().lastLine());
      }
    }
    return lines;
  }

  private String keys() {
    if (view.typed() != null) {
      return " logs of worker: " + view.typed() + "_  (Enter; nothing for all)";
    }
    String leave =
        switch (view.purpose()) {
          case RUN -> view.stopping() ? "q end at once" : "q stop, with grace";
          case WATCH -> "q leave";
        };
    int last = view.run().workers().size() - 1;
    String logs =
        view.chosen() < 0
            ? "l logs of one"
            : view.chosen() <= last
                ? "l logs (now of " + view.chosen() + ")"
                : "l logs (no worker %d: 0 to %d)".formatted(view.chosen(), last);
    return switch (view.page()) {
      case LOGS -> " %s  e events  r restarts  %s".formatted(logs, leave);
      case EVENTS -> " e logs  r restarts  " + leave;
      case RESTARTS -> " e events  r logs  " + leave;
    };
  }

  static String percent(Goodput goodput) {
    return String.format(Locale.ROOT, "%.1f%%", Math.floor(goodput.ratio() * 1000) / 10);
  }

  /** {@code 2:14} or {@code 1:02:14}. */
  static String clock(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    return seconds >= 3600
        ? "%d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60)
        : "%d:%02d".formatted(seconds / 60, seconds % 60);
  }

  /** As the screen would say it. */
  private static boolean isNothing(Duration time) {
    return time.toMillis() < 50;
  }

  private static String tenths(Duration time) {
    return clock(time) + "." + Math.max(0, time.toMillis()) / 100 % 10;
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1fs", Math.max(0, time.toMillis()) / 1e3);
  }

  /** For switches over pages. */
  static Page toggled(Page now, Page wanted) {
    return now == wanted ? Page.LOGS : wanted;
  }
}
