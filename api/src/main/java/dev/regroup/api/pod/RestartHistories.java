package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The restarts a pod tells of, in the annotation {@link JobSetKeys#RESTARTS}: written by its node
 * with a status that is written anyway, read by everybody who wants to know where the time went.
 *
 * <p>{@code {"completed":1,"newest":[{"cycle":1,"began":"2026-01-01T00:00:00.5Z","exitSeen":0,
 * "noticed":1.25,"running":80.5}]}}: newest first, moments in milliseconds after {@code began}.
 */
public final class RestartHistories {

  private static final int MICROS = 3; // decimals of a millisecond

  private RestartHistories() {}

  /** The annotation; none for a pod that was never restarted. */
  public static Map<String, String> annotation(RestartHistory history) {
    if (history.completed() == 0) {
      return Map.of();
    }
    var wire = Wire.object().put("completed", history.completed());
    var list = wire.putArray("newest");
    history.newest().reversed().forEach(restart -> write(list.addObject(), restart));
    return Map.of(JobSetKeys.RESTARTS, Wire.text(wire));
  }

  /** Of a pod's annotations. What nobody of ours has written is as if it were not there. */
  public static RestartHistory read(JsonNode annotations) {
    var text = Trees.text(annotations, JobSetKeys.RESTARTS);
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

  private static void write(ObjectNode wire, CompletedRestart restart) {
    var began = restart.began().truncatedTo(ChronoUnit.MICROS);
    wire.put("cycle", restart.cycle()).put("began", began.toString());
    restart
        .moments()
        .forEach((moment, at) -> {
          long micros = Duration.between(began, at).toNanos() / 1_000;
          wire.put(name(moment), millis(micros));
        });
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
      var after = wire.path(name(moment));
      if (began != null && after.isNumber()) {
        long micros = after.decimalValue().movePointRight(MICROS).longValue();
        moments.put(moment, began.plus(micros, ChronoUnit.MICROS));
      }
    }
    return CompletedRestart.isComplete(moments)
        ? Optional.of(new CompletedRestart(Trees.integer(wire, "cycle").orElse(0), moments))
        : Optional.empty();
  }

  private static String name(Moment moment) {
    return switch (moment) {
      case EXIT_SEEN -> "exitSeen";
      case NOTICED -> "noticed";
      case STOPPED -> "stopped";
      case REMOVED -> "removed";
      case AT_BARRIER -> "atBarrier";
      case LIFTED -> "lifted";
      case RUNNING -> "running";
    };
  }
}
