package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.jobset.Rendezvous;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.jobset.JobSetSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A worker that gets its rendezvous variables from Regroup's node, and nowhere else from anybody
 * (JS-168).
 *
 * @param container the worker as its author wrote it
 * @param field path of the worker from the JobSet
 * @param missing the variables it does not set itself
 * @param obstacle why they cannot be written down, empty when they can
 * @param values what to write; that of the rank comes from the completion index
 */
public record LocalRank(
    ObjectNode container,
    String field,
    Set<String> missing,
    String obstacle,
    Map<String, String> values) {

  private static final String RANK = "RANK";
  private static final String INDEX = "metadata.annotations['" + JobKeys.COMPLETION_INDEX + "']";
  private static final Pattern WORD = Pattern.compile("[A-Z_][A-Z0-9_]*");

  /** The workers of this object that would miss some; nobody but JobSets has any. */
  public static List<LocalRank> of(ObjectNode object) {
    var found = new ArrayList<LocalRank>();
    if (!Trees.text(object, "kind").equals("JobSet")) {
      return found;
    }
    var spec = JobSetReader.spec(object);
    var rendezvous = Rendezvous.of(spec);
    String obstacle = obstacle(spec, rendezvous);
    var jobs = Trees.objects(object, "spec", "replicatedJobs");
    int globalIndex = 0;
    for (int i = 0; i < jobs.size(); i++) {
      var values = rendezvous.variables(globalIndex, 0, spec.coordinatorName());
      if (!values.isEmpty() && spec.jobs().get(i).indexed()) {
        String at = "spec.replicatedJobs[" + i + "].template.spec.template.spec.containers";
        var containers =
            Trees.objects(jobs.get(i), "template", "spec", "template", "spec", "containers");
        for (int j = 0; j < containers.size(); j++) {
          var missing = missing(containers.get(j));
          if (!missing.isEmpty()) {
            String field = at + "[" + j + "]";
            found.add(new LocalRank(containers.get(j), field, missing, obstacle, values));
          }
        }
      }
      globalIndex += spec.jobs().get(i).replicas();
    }
    return found;
  }

  /** A template is the same for all Jobs made of it, and no field tells a pod its Job's place. */
  private static String obstacle(JobSetSpec spec, Rendezvous rendezvous) {
    if (rendezvous.jobs().stream().filter(size -> size > 0).count() > 1) {
      return "the rank depends on the Job, and a template cannot say it";
    }
    return spec.name().isEmpty() ? "the JobSet has no name yet" : "";
  }

  private static Set<String> missing(ObjectNode container) {
    var missing = new LinkedHashSet<>(Rendezvous.NAMES);
    Trees.objects(container, "env").forEach(one -> missing.remove(Trees.text(one, "name")));
    return missing;
  }

  /** Those that the worker is seen to use, in its command or in another variable. */
  Set<String> used() {
    var used = new LinkedHashSet<String>();
    var words = WORD.matcher(container.toString());
    while (words.find()) {
      if (missing.contains(words.group())) {
        used.add(words.group());
      }
    }
    return used;
  }

  /** Writes them into the container; only without an obstacle. */
  public void write() {
    for (String name : missing) {
      var variable = Trees.list(container, "env").addObject().put("name", name);
      if (name.equals(RANK)) {
        variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", INDEX);
      } else {
        variable.put("value", values.get(name));
      }
    }
  }
}
