package dev.regroup.server.table;

import static dev.regroup.server.table.Cells.age;
import static dev.regroup.server.table.Cells.conditionStatus;
import static dev.regroup.server.table.Cells.labelSelector;
import static dev.regroup.server.table.Cells.name;
import static dev.regroup.server.table.Cells.row;
import static dev.regroup.server.table.Cells.textOrNull;
import static dev.regroup.server.table.Cells.texts;
import static dev.regroup.server.table.Cells.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tables of jobs, job sets and events. */
final class WorkloadTables {
  static final TableView JOBS =
      view(
          List.of(
              Column.NAME,
              Column.text("Status"),
              Column.text("Completions"),
              Column.text("Duration"),
              Column.AGE,
              Column.wide("Containers"),
              Column.wide("Images"),
              Column.wide("Selector")),
          WorkloadTables::job);

  /** JS-2. */
  static final TableView JOB_SETS =
      view(
          List.of(
              Column.NAME,
              Column.text("TerminalState"),
              Column.text("Restarts"),
              Column.text("Completed"),
              Column.text("Suspended"),
              new Column("Age", "date", "", 0)),
          (object, now) ->
              row(
                  name(object),
                  textOrNull(object.path("status").path("terminalState")),
                  jobSetRestarts(object.path("status")),
                  conditionStatus(object, "Completed"),
                  textOrNull(object.path("spec").path("suspend")),
                  age(object, now)));

  static final TableView EVENTS =
      view(
          List.of(
              Column.text("Last Seen"),
              Column.text("Type"),
              Column.text("Reason"),
              Column.text("Object"),
              Column.wide("Subobject"),
              Column.wide("Source"),
              Column.text("Message"),
              Column.wide("First Seen"),
              Column.wide("Count"),
              new Column("Name", "string", "name", 1)),
          WorkloadTables::event);

  private WorkloadTables() {}

  /** Recreations, as upstream shows them, and restarts in place, which only Regroup counts. */
  private static @Nullable String jobSetRestarts(JsonNode status) {
    int inPlace =
        status.path("inPlaceRestartsCountTowardsMax").asInt()
            + status.path("uncountedInPlaceRestartAttempts").asInt();
    var restarts = status.path("restarts");
    return inPlace == 0 ? textOrNull(restarts) : String.valueOf(restarts.asInt() + inPlace);
  }

  private static List<@Nullable Object> job(ObjectNode job, Instant now) {
    var spec = job.path("spec");
    var status = job.path("status");
    int succeeded = status.path("succeeded").asInt();
    String completions;
    if (spec.hasNonNull("completions")) {
      completions = succeeded + "/" + spec.path("completions").asInt();
    } else {
      int parallelism = spec.path("parallelism").asInt();
      completions = parallelism > 1 ? succeeded + "/1 of " + parallelism : succeeded + "/1";
    }
    var containers = spec.path("template").path("spec").path("containers");
    return row(
        name(job),
        jobState(job),
        completions,
        jobDuration(status, now),
        age(job, now),
        String.join(",", texts(containers, "name")),
        String.join(",", texts(containers, "image")),
        labelSelector(spec.path("selector")));
  }

  private static String jobState(ObjectNode job) {
    if ("True".equals(conditionStatus(job, "Complete"))) {
      return "Complete";
    }
    if ("True".equals(conditionStatus(job, "Failed"))) {
      return "Failed";
    }
    if (job.path("metadata").hasNonNull("deletionTimestamp")) {
      return "Terminating";
    }
    if ("True".equals(conditionStatus(job, "Suspended"))) {
      return "Suspended";
    }
    if ("True".equals(conditionStatus(job, "FailureTarget"))) {
      return "FailureTarget";
    }
    return "True".equals(conditionStatus(job, "SuccessCriteriaMet"))
        ? "SuccessCriteriaMet"
        : "Running";
  }

  private static String jobDuration(JsonNode status, Instant now) {
    var start = status.path("startTime").asText("");
    if (start.isEmpty()) {
      return "";
    }
    var end = status.path("completionTime").asText("");
    var until = end.isEmpty() ? now : Instant.parse(end);
    return Ages.human(Duration.between(Instant.parse(start), until));
  }

  private static List<@Nullable Object> event(ObjectNode event, Instant now) {
    var first = event.path("firstTimestamp").asText(event.path("eventTime").asText(""));
    var last = event.path("lastTimestamp").asText(first);
    int count = event.path("count").asInt();
    var series = event.path("series");
    if (series.isObject()) {
      count = series.path("count").asInt();
      last = series.path("lastObservedTime").asText(last);
    } else if (count == 0) {
      count = 1;
    }
    var about = event.path("involvedObject");
    var object = about.path("kind").asText().toLowerCase(Locale.ROOT);
    var aboutName = about.path("name").asText("");
    var component =
        event.path("source").path("component").asText(event.path("reportingComponent").asText(""));
    var host = event.path("source").path("host").asText(event.path("reportingInstance").asText(""));
    return row(
        Ages.since(last, now),
        event.path("type").asText(""),
        event.path("reason").asText(""),
        aboutName.isEmpty() ? object : object + "/" + aboutName,
        about.path("fieldPath").asText(""),
        host.isEmpty() ? component : component + ", " + host,
        event.path("message").asText("").strip(),
        Ages.since(first, now),
        count,
        name(event));
  }
}
