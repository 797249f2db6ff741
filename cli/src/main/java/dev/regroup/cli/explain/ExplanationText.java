package dev.regroup.cli.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.Exit;
import dev.regroup.rules.pod.ContainerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Explanations as people read them: a table, a sentence, a tree for other programs. */
public final class ExplanationText {

  private ExplanationText() {}

  /** A title and a table like kubectl's; columns that mean nothing for the kind are left out. */
  public static String table(Explanation explanation) {
    return explanation.title() + "\n" + aligned(cells(explanation));
  }

  /** The table as cells, first the heads. */
  public static List<List<String>> cells(Explanation explanation) {
    var lines = new ArrayList<List<String>>();
    boolean job = explanation.rows().stream().anyMatch(row -> row.job().isPresent());
    boolean jobSet = explanation.rows().stream().anyMatch(row -> row.jobSet().isPresent());
    var header = new ArrayList<>(List.of("CONTAINER", "EXIT", "POD"));
    if (job) {
      header.add("JOB");
    }
    if (jobSet) {
      header.add("JOBSET");
    }
    header.add("DECIDED BY");
    lines.add(header);
    for (Explanation.Row row : explanation.rows()) {
      var line = new ArrayList<>(List.of(container(row), row.exit().text(), row.pod().text()));
      row.job().ifPresent(outcome -> line.add(outcome.text()));
      row.jobSet().ifPresent(outcome -> line.add(outcome.text()));
      line.add(row.decider().field());
      lines.add(line);
    }
    return lines;
  }

  /** Columns as wide as their widest cell, three blanks apart. */
  public static String aligned(List<List<String>> lines) {
    var text = new StringBuilder();
    for (List<String> line : lines) {
      var row = new StringBuilder();
      for (int i = 0; i < line.size(); i++) {
        int column = i;
        int width = lines.stream().mapToInt(other -> other.get(column).length()).max().orElse(0);
        row.append(line.get(i)).repeat(" ", width - line.get(i).length() + 3);
      }
      text.append(row.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String container(Explanation.Row row) {
    return switch (row.containerKind()) {
      case INIT -> row.container() + " (init)";
      case SIDECAR -> row.container() + " (sidecar)";
      case REGULAR, EPHEMERAL -> row.container();
    };
  }

  /** The answer about one exit. */
  public static String sentence(Explanation explanation) {
    var row = explanation.rows().getFirst();
    var text = new StringBuilder();
    text.append(explanation.title()).append(": when ").append(row.container());
    text.append(row.exit().cause() == Exit.Cause.OUT_OF_MEMORY ? " runs out of memory" : "");
    text.append(row.exit().cause() == Exit.Cause.OUT_OF_MEMORY ? ", " : " exits with ");
    text.append(
        row.exit().cause() == Exit.Cause.OUT_OF_MEMORY
            ? ""
            : ExitClass.named(row.exit().codes().getFirst()) + ", ");
    text.append(podSentence(row));
    row.job().ifPresent(outcome -> text.append(", ").append(jobSentence(outcome)));
    row.jobSet()
        .filter(outcome -> outcome.kind() != JobSetOutcome.Kind.NOTHING)
        .ifPresent(outcome -> text.append(", and ").append(jobSetSentence(outcome)));
    return text.append(" (decided by ").append(row.decider().field()).append(").\n").toString();
  }

  private static String podSentence(Explanation.Row row) {
    return switch (row.pod().kind()) {
      case RESTART_CONTAINER -> "that container is restarted";
      case RESTART_ALL -> "all containers of the Pod restart in place";
      case NEXT_STARTS -> "it is done and the next container starts";
      case CONTAINER_ENDS ->
          switch (row.pod().phase()) {
            case SUCCEEDED -> "it stays ended and the Pod succeeds with the other containers";
            case FAILED -> "it stays ended and the Pod fails when the other containers have ended";
            case PENDING, RUNNING -> "it stays ended and the Pod goes on";
          };
      case POD_ENDS ->
          "the Pod "
              + (row.pod().phase() == dev.regroup.rules.pod.Phase.FAILED ? "fails" : "succeeds");
    };
  }

  private static String jobSentence(JobOutcome outcome) {
    return switch (outcome.kind()) {
      case KEEPS_POD ->
          "the Job keeps the Pod"
              + (outcome.limit() == 0 ? "" : " (and fails at restart " + outcome.limit() + ")");
      case RECREATES_POD ->
          "the Job makes a new Pod"
              + (outcome.limit() == 0 ? "" : " (and fails at failure " + outcome.limit() + ")");
      case FAILS_INDEX -> "the index of the Job fails";
      case FAILS -> "the Job fails with reason " + outcome.reason();
      case COUNTS_SUCCESS -> "the Job completes with its last Pod";
      case COMPLETES -> "the Job completes";
    };
  }

  private static String jobSetSentence(JobSetOutcome outcome) {
    String budget =
        outcome.maxRestarts() < 0
            ? " (without limit)"
            : " (at most %d times)".formatted(outcome.maxRestarts());
    return switch (outcome.kind()) {
      case NOTHING -> "nothing happens to the JobSet";
      case RESTARTS_IN_PLACE -> "the JobSet restarts the whole group in place" + budget;
      case RECREATES_ALL -> "the JobSet recreates all its Jobs" + budget;
      case RECREATES_JOB -> "the JobSet recreates that Job" + budget;
      case FAILS -> "the JobSet fails with reason " + outcome.reason();
      case COUNTS_SUCCESS -> "the JobSet completes with its last Job";
      case COMPLETES -> "the JobSet completes";
    };
  }

  /** All facts, with the rule of the specification that each follows. */
  public static ObjectNode tree(Explanation explanation) {
    ObjectNode tree = Wire.object();
    tree.put("kind", explanation.kind()).put("name", explanation.name());
    if (!explanation.replicatedJob().isEmpty()) {
      tree.put("replicatedJob", explanation.replicatedJob());
    }
    ArrayNode rows = tree.putArray("exits");
    explanation.rows().forEach(row -> row(rows.addObject(), row));
    return tree;
  }

  private static void row(ObjectNode tree, Explanation.Row row) {
    tree.put("container", row.container()).put("type", word(row.containerKind()));
    ObjectNode exit = tree.putObject("exit");
    ArrayNode codes = exit.putArray("codes");
    row.exit().codes().forEach(codes::add);
    exit.put("others", row.exit().reach() != ExitClass.Reach.LISTED);
    if (row.exit().cause() == Exit.Cause.OUT_OF_MEMORY) {
      exit.put("reason", "OOMKilled");
    }
    if (row.exit().afterRestarts() > 0) {
      exit.put("afterRestarts", row.exit().afterRestarts());
    }
    tree.putObject("decidedBy")
        .put("field", row.decider().field())
        .put("rule", row.decider().rule());
    tree.putObject("pod")
        .put("outcome", camel(row.pod().kind()))
        .put("phase", row.pod().phase().wireName());
    row.job().ifPresent(outcome -> job(tree.putObject("job"), outcome));
    row.jobSet().ifPresent(outcome -> jobSet(tree.putObject("jobSet"), outcome));
  }

  private static void job(ObjectNode tree, JobOutcome outcome) {
    tree.put("outcome", camel(outcome.kind()));
    if (!outcome.reason().isEmpty()) {
      tree.put("reason", outcome.reason());
    }
    if (outcome.limit() > 0) {
      tree.put("failsAt", outcome.limit());
    }
  }

  private static void jobSet(ObjectNode tree, JobSetOutcome outcome) {
    tree.put("outcome", camel(outcome.kind()));
    if (!outcome.reason().isEmpty()) {
      tree.put("reason", outcome.reason());
    }
    if (outcome.maxRestarts() >= 0) {
      tree.put("maxRestarts", outcome.maxRestarts());
    }
  }

  private static String word(ContainerKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** {@code RESTART_ALL} as {@code RestartAll}. */
  private static String camel(Enum<?> value) {
    var text = new StringBuilder();
    for (String part : value.name().split("_", -1)) {
      text.append(part.charAt(0)).append(part.substring(1).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }
}
