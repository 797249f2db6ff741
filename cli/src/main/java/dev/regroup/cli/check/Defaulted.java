package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Says what admission filled in for an in-place JobSet (JS-42b) in as few words as possible: the
 * full paths are in an annotation, and most of every path is the same.
 */
public final class Defaulted {

  private static final Pattern PATH =
      Pattern.compile("spec\\.replicatedJobs\\[(\\d+)]\\.template\\.spec\\.(.+)");

  private Defaulted() {}

  /** Such as {@code backoffLimit, completions (driver)}; empty when nothing was filled in. */
  public static Optional<String> fields(JsonNode jobSet) {
    String paths =
        jobSet
            .path("metadata")
            .path("annotations")
            .path(JobSetKeys.IN_PLACE_RESTART_DEFAULTED)
            .asText("");
    if (paths.isEmpty()) {
      return Optional.empty();
    }
    JsonNode jobs = jobSet.path("spec").path("replicatedJobs");
    Map<String, List<String>> jobsByField = new LinkedHashMap<>();
    for (String path : paths.split(",", -1)) {
      var match = PATH.matcher(path);
      if (match.matches()) {
        String job = jobs.path(Integer.parseInt(match.group(1))).path("name").asText();
        jobsByField.computeIfAbsent(match.group(2), _ -> new ArrayList<>()).add(job);
      }
    }
    return Optional.of(
        jobsByField.entrySet().stream()
            .map(entry -> text(entry.getKey(), entry.getValue(), jobs.size()))
            .collect(Collectors.joining(", ")));
  }

  private static String text(String field, List<String> jobs, int all) {
    return jobs.size() == all ? field : field + " (" + String.join(", ", jobs) + ")";
  }
}
