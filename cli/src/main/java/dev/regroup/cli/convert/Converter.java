package dev.regroup.cli.convert;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.pod.DraftSpellings;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.check.FilledIn;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.LocalRank;
import dev.regroup.cli.check.WrittenPods;
import dev.regroup.cli.check.WrittenPods.WrittenPod;
import java.util.ArrayList;
import java.util.List;

/**
 * The portable form of an object as its author wrote it; only what JobSet's own webhook would miss
 * and what workers would miss on another node is filled in. In pod specs draft spellings are folded
 * by the same code admission uses, rules that no cluster knows go where they are not needed and
 * into the annotation {@link #ANNOTATION} where they are.
 */
public final class Converter {

  /** On the pod template: a JSON object, by container name what its fields cannot say. */
  public static final String ANNOTATION = JobSetKeys.RULES;

  /**
   * The result.
   *
   * @param notes what was changed, by field
   */
  public record Converted(ObjectNode object, List<Finding> notes) {
    public Converted {
      notes = List.copyOf(notes);
    }
  }

  private Converter() {}

  /** The given object is not changed. It should have passed a check. */
  public static Converted convert(ObjectNode object) {
    ObjectNode copy = object.deepCopy();
    var notes = new ArrayList<Finding>();
    for (FilledIn missing : FilledIn.of(copy)) {
      missing.write();
      notes.add(Finding.warning(missing.field(), "written as " + missing.value()));
    }
    for (LocalRank worker : LocalRank.of(copy)) {
      rank(worker, notes);
    }
    for (WrittenPod pod : WrittenPods.of(copy)) {
      spellings(pod, notes);
      AgentNames.release(pod, notes);
      new SidecarForm(pod, notes).write();
      extensions(pod, notes);
    }
    return new Converted(copy, notes);
  }

  /** What a worker would miss on a cluster (JS-168). */
  private static void rank(LocalRank worker, List<Finding> notes) {
    String names = String.join(", ", worker.missing());
    if (worker.obstacle().isEmpty()) {
      worker.write();
      notes.add(Finding.warning(worker.field() + ".env", names + " written out"));
    } else {
      notes.add(
          Finding.warning(
              worker.field() + ".env",
              "%s not written: %s; a cluster does not set them (JS-168)"
                  .formatted(names, worker.obstacle())));
    }
  }

  private static void spellings(WrittenPod pod, List<Finding> notes) {
    var warnings = new ArrayList<String>();
    var errors = new ArrayList<FieldError>();
    new DraftSpellings(Decoding.LENIENT, warnings, errors).fold(pod.spec(), FieldPath.of("spec"));
    for (String warning : warnings) {
      int colon = warning.indexOf(": ");
      String field = pod.field() + warning.substring("spec".length(), colon);
      notes.add(Finding.warning(field, warning.substring(colon + 2).replace("stored", "written")));
    }
  }

  private static void extensions(WrittenPod pod, List<Finding> notes) {
    ObjectNode kept = Wire.object();
    var podPolicy = RestartFields.podPolicy(pod.spec());
    for (String list : List.of("initContainers", "containers")) {
      var containers = Trees.objects(pod.spec(), list);
      for (int i = 0; i < containers.size(); i++) {
        String field = pod.field() + "." + list + "[" + i + "]";
        var one = new PortableContainer(containers.get(i), list, podPolicy, field, notes);
        ObjectNode rest = one.reduce();
        if (!rest.isEmpty()) {
          kept.set(Trees.text(containers.get(i), "name"), rest);
        }
      }
    }
    if (!kept.isEmpty()) {
      annotations(pod.owner()).put(ANNOTATION, Wire.text(kept));
    }
  }

  /** Made where there are none, with {@code metadata} before {@code spec} as people write it. */
  private static ObjectNode annotations(ObjectNode owner) {
    if (!owner.has("metadata")) {
      var spec = owner.remove("spec");
      owner.putObject("metadata");
      owner.set("spec", spec);
    }
    return Trees.child(Trees.child(owner, "metadata"), "annotations");
  }
}
