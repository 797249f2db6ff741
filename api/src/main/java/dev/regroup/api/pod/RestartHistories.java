package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.ProgressStep;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a pod tells of its restarts and of its program, in the annotations {@link
 * JobSetKeys#RESTARTS} and {@link JobSetKeys#PROGRAM}: written by its node, read by everybody who
 * wants to know where the time went.
 *
 * <p>{@code {"completed":1,"newest":[{"cycle":1,"began":"2026-01-01T00:00:00.5Z","exitSeen":0,
 * "noticed":1.25,"running":80.5,"reached":120,"resumed":101,"lastOutput":-3}]}}: newest first,
 * moments in milliseconds after {@code began}.
 *
 * <p>{@code {"started":"2026-01-01T00:00:00.5Z","firstOutput":"…","lastOutput":"…","step":120,
 * "total":400,"stepAt":"…","failed":"…"}}: of the first start, the newest signs of life, and the
 * last failure.
 */
public final class RestartHistories {

  private static final int MICROS = 3; // decimals of a millisecond

  private RestartHistories() {}

  /** The annotations; none for a pod that was never restarted and whose program is unseen. */
  public static Map<String, String> annotations(RestartHistory history) {
    var annotations = new HashMap<String, String>();
    if (history.completed() > 0) {
      var wire = Wire.object().put("completed", history.completed());
      var list = wire.putArray("newest");
      history.newest().reversed().forEach(restart -> write(list.addObject(), restart));
      annotations.put(JobSetKeys.RESTARTS, Wire.text(wire));
    }
    if (!history.life().equals(ProgramLife.UNSEEN)) {
      annotations.put(JobSetKeys.PROGRAM, Wire.text(program(history.life())));
    }
    return annotations;
  }

  /** Of a pod's annotations. What nobody of ours has written is as if it were not there. */
  public static RestartHistory read(JsonNode annotations) {
    return read(written(annotations));
  }

  /** Those of a pod's annotations that tell it, unread. */
  public static Map<String, String> written(JsonNode annotations) {
    var texts = new HashMap<String, String>();
    for (String key : List.of(JobSetKeys.RESTARTS, JobSetKeys.PROGRAM)) {
      String text = Trees.text(annotations, key);
      if (!text.isEmpty()) {
        texts.put(key, text);
      }
    }
    return texts;
  }

  public static RestartHistory read(Map<String, String> written) {
    return restarts(written.getOrDefault(JobSetKeys.RESTARTS, ""))
        .with(life(written.getOrDefault(JobSetKeys.PROGRAM, "")));
  }

  private static RestartHistory restarts(String text) {
    if (text.isEmpty()) {
      return RestartHistory.NONE;
    }
    try {
      var wire = Wire.tree(text);
      var newest = new ArrayList<CompletedRestart>();
      Trees.objects(wire, "newest").forEach(entry -> restart(entry).ifPresent(newest::add));
      int completed = Trees.integer(wire, "completed").orElse(0);
      return new RestartHistory(Math.max(completed, newest.size()), newest.reversed());
    } catch (UncheckedIOException e) {
      return RestartHistory.NONE;
    }
  }

  private static ObjectNode program(ProgramLife life) {
    var wire = Wire.object();
    put(wire, "started", life.started());
    put(wire, "firstOutput", life.firstOutput());
    put(wire, "lastOutput", life.lastOutput());
    var step = life.step();
    if (step != null) {
      wire.put("step", step.number());
      if (step.total() > 0) {
        wire.put("total", step.total());
      }
      put(wire, "stepAt", step.at());
    }
    put(wire, "failed", life.failed());
    return wire;
  }

  private static void put(ObjectNode wire, String field, @Nullable Instant at) {
    if (at != null) {
      wire.put(field, at.truncatedTo(ChronoUnit.MICROS).toString());
    }
  }

  /** What a pod tells of its program alone. */
  public static ProgramLife life(JsonNode annotations) {
    return life(Trees.text(annotations, JobSetKeys.PROGRAM));
  }

  private static ProgramLife life(String text) {
    if (text.isEmpty()) {
      return ProgramLife.UNSEEN;
    }
    try {
      var wire = Wire.tree(text);
      var at = Trees.time(wire, "stepAt");
      long number = number(wire, "step");
      var step =
          number < 0 || at == null
              ? null
              : new ProgressStep(number, Math.max(0, number(wire, "total")), at);
      return new ProgramLife(
          Trees.time(wire, "started"),
          Trees.time(wire, "firstOutput"),
          Trees.time(wire, "lastOutput"),
          step,
          Trees.time(wire, "failed"));
    } catch (UncheckedIOException e) {
      return ProgramLife.UNSEEN;
    }
  }

  private static long number(JsonNode wire, String field) {
    var value = wire.path(field);
    return value.isIntegralNumber() && value.canConvertToLong() ? value.longValue() : -1;
  }

  private static void write(ObjectNode wire, CompletedRestart restart) {
    var began = restart.began().truncatedTo(ChronoUnit.MICROS);
    wire.put("cycle", restart.cycle()).put("began", began.toString());
    restart
        .moments()
        .forEach((moment, at) -> {
          long micros = Duration.between(began, at).toNanos() / 1_000;
          wire.put(name(moment), millis(micros));
        });
    var program = restart.program();
    if (program.lastOutput() != null) {
      long micros = Duration.between(began, program.lastOutput()).toNanos() / 1_000;
      wire.put("lastOutput", millis(micros));
    }
    if (program.reached() >= 0) {
      wire.put("reached", program.reached());
    }
    if (program.resumed() >= 0) {
      wire.put("resumed", program.resumed());
    }
    if (!program.warned()) {
      wire.put("unwarned", true);
    }
  }

  /** Not {@code 6E+1}. */
  private static BigDecimal millis(long micros) {
    var exact = BigDecimal.valueOf(micros, MICROS).stripTrailingZeros();
    return exact.scale() < 0 ? exact.setScale(0) : exact;
  }

  private static Optional<CompletedRestart> restart(ObjectNode wire) {
    var began = Trees.time(wire, "began");
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    for (var moment : Moment.values()) {
      var at = after(began, wire.path(name(moment)));
      if (at != null) {
        moments.put(moment, at);
      }
    }
    if (!CompletedRestart.isComplete(moments)) {
      return Optional.empty();
    }
    var program =
        new ProgramBreak(
            after(began, wire.path("lastOutput")),
            number(wire, "reached"),
            number(wire, "resumed"),
            !wire.path("unwarned").asBoolean());
    return Optional.of(
        new CompletedRestart(Trees.integer(wire, "cycle").orElse(0), moments, program));
  }

  private static @Nullable Instant after(@Nullable Instant began, JsonNode millis) {
    if (began == null || !millis.isNumber()) {
      return null;
    }
    long micros = millis.decimalValue().movePointRight(MICROS).longValue();
    return began.plus(micros, ChronoUnit.MICROS);
  }

  /** What a moment is called on the wire. */
  public static String name(Moment moment) {
    return switch (moment) {
      case LAST_SIGN -> "lastSign";
      case FOUND_HANGING -> "foundHanging";
      case EXIT_SEEN -> "exitSeen";
      case NOTICED -> "noticed";
      case STOPPED -> "stopped";
      case REMOVED -> "removed";
      case AT_BARRIER -> "atBarrier";
      case LIFTED -> "lifted";
      case RUNNING -> "running";
      case FIRST_OUTPUT -> "firstOutput";
      case CAUGHT_UP -> "caughtUp";
    };
  }
}
