package dev.regroup.cli.chaos;

import dev.regroup.cli.chaos.Deed.When;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a plan: deeds, each on a line of its own or behind a semicolon; what follows {@code #} is a
 * remark.
 *
 * <pre>
 *   deed    = action "worker" who ["container" name] [when] ["for" time]
 *   action  = kill | terminate | stop | fill | cut | delete | evict
 *   who     = number | number "-" number | who "," who | all
 *   when    = "after" time | "at step" number            (without: at once)
 *   or      = "random" count "over" time "seed" number ["of" action "," action …]
 * </pre>
 */
public final class PlanText {

  private static final int MOST = 1_000; // deeds
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final Duration LONGEST_HARM = Duration.ofMinutes(10);
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

  private final String clause;
  private final Deque<String> words;

  private PlanText(String clause) {
    this.clause = clause;
    this.words = new ArrayDeque<>(Arrays.asList(clause.split("\\s+", -1)));
  }

  public static ChaosPlan read(String text) throws CliFailure {
    var clauses = new ArrayList<String>();
    for (String line : text.split("\\R", -1)) {
      String said = line.contains("#") ? line.substring(0, line.indexOf('#')) : line;
      Arrays.stream(said.split(";", -1))
          .map(String::strip)
          .filter(one -> !one.isEmpty())
          .forEach(clauses::add);
    }
    if (clauses.isEmpty()) {
      throw wrong("plan: is empty (write for example: kill worker 2 after 10s)");
    }
    if (clauses.getFirst().startsWith("random")) {
      if (clauses.size() > 1) {
        throw wrong("plan: random stands alone, found also \"%s\"".formatted(clauses.get(1)));
      }
      return new PlanText(clauses.getFirst()).random();
    }
    if (clauses.size() > MOST) {
      throw wrong("plan: has %d deeds, more than %d".formatted(clauses.size(), MOST));
    }
    var deeds = new ArrayList<Deed>();
    for (String one : clauses) {
      deeds.add(new PlanText(one).deed());
    }
    return new ChaosPlan.Told(deeds);
  }

  /** A plan by chance from options of a command line. */
  public static ChaosPlan random(long seed, int count, Duration over, List<Harm> harms)
      throws CliFailure {
    if (count < 1 || count > MOST) {
      throw wrong("count: must be 1 to %d, not %d".formatted(MOST, count));
    }
    if (over.compareTo(LONGEST) > 0) {
      throw wrong("over: must be %dh at most, not %s".formatted(LONGEST.toHours(), over));
    }
    return new ChaosPlan.Drawn(seed, count, over, harms.isEmpty() ? ChaosPlan.Drawn.USUAL : harms);
  }

  private Deed deed() throws CliFailure {
    var harm = harm(next("an action"));
    expect("worker");
    var workers = who(next("the number of a worker"));
    String container = "";
    When when = new When.After(Duration.ZERO);
    var lasting = Duration.ZERO;
    while (!words.isEmpty()) {
      String word = words.removeFirst();
      switch (word) {
        case "container" -> container = next("the name of a container");
        case "after" -> when = new When.After(time("after", LONGEST));
        case "at" -> {
          expect("step");
          when = new When.AtStep(number("step"));
        }
        case "for" -> {
          if (!harm.canLast()) {
            throw error("for: %s does not last (leave it out)".formatted(harm.word()));
          }
          lasting = time("for", LONGEST_HARM);
        }
        default ->
            throw error(
                "\"%s\" is not understood (after TIME, at step N, for TIME or container NAME)"
                    .formatted(word));
      }
    }
    if (harm == Harm.CUT && lasting.isZero()) {
      throw error("for: is missing (say how long: cut worker 1 after 5s for 10s)");
    }
    return new Deed(harm, workers, container, when, lasting);
  }

  private ChaosPlan random() throws CliFailure {
    expect("random");
    int count = (int) number("random");
    expect("over");
    var over = time("over", LONGEST);
    expect("seed");
    long seed = number("seed");
    var harms = new ArrayList<Harm>();
    if (!words.isEmpty()) {
      expect("of");
      for (String one : next("actions").split(",", -1)) {
        harms.add(harm(one));
      }
    }
    if (!words.isEmpty()) {
      throw error("\"%s\" is not understood".formatted(words.getFirst()));
    }
    return random(seed, count, over, harms);
  }

  private Harm harm(String word) throws CliFailure {
    if (word.equals("exit")) {
      throw error(
          "exit: nobody can choose another program's exit code (kill gives 137, terminate mostly"
              + " 143)");
    }
    return Harm.of(word)
        .orElseThrow(() -> error("\"%s\": no such action (%s)".formatted(word, Harm.all())));
  }

  private List<Integer> who(String text) throws CliFailure {
    if (text.equals("all")) {
      return List.of();
    }
    var numbers = new TreeSet<Integer>();
    for (String part : text.split(",", -1)) {
      var range = RANGE.matcher(part);
      if (!range.matches()) {
        throw error("worker: \"%s\" is no number (write 2, 0,3, 1-4 or all)".formatted(part));
      }
      int from = Integer.parseInt(range.group(1));
      int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
      if (to < from || to - from > 100_000) {
        throw error("worker: \"%s\" is no range".formatted(part));
      }
      for (int i = from; i <= to; i++) {
        numbers.add(i);
      }
    }
    return List.copyOf(numbers);
  }

  private Duration time(String field, Duration most) throws CliFailure {
    String text = next("a time");
    try {
      var time = new DurationText().convert(text);
      if (time.compareTo(most) > 0) {
        throw error("%s: %s is too long (at most %s)".formatted(field, text, Deed.text(most)));
      }
      return time;
    } catch (TypeConversionException e) {
      throw error("%s: \"%s\" %s".formatted(field, text, e.getMessage()));
    }
  }

  private long number(String field) throws CliFailure {
    String text = next("a number");
    if (!NUMBER.matcher(text).matches()) {
      throw error("%s: \"%s\" is no number".formatted(field, text));
    }
    return Long.parseLong(text);
  }

  private void expect(String word) throws CliFailure {
    String found = words.isEmpty() ? "the end" : "\"" + words.removeFirst() + "\"";
    if (!found.equals("\"" + word + "\"")) {
      throw error("expected \"%s\", found %s".formatted(word, found));
    }
  }

  private String next(String what) throws CliFailure {
    if (words.isEmpty()) {
      throw error("%s is missing at the end".formatted(what));
    }
    return words.removeFirst();
  }

  private CliFailure error(String problem) {
    return wrong("plan: \"%s\": %s".formatted(clause, problem));
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
