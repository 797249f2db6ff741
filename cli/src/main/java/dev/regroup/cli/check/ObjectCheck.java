package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.admission.review.TokenVolumes;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/**
 * Takes one object of a manifest the way the server would: shape, decoding, admission; for a JobSet
 * also the Jobs it would make, because a mistake in a pod template shows only there. All that is
 * wrong is found at once.
 *
 * <p>May be used for any number of objects by one thread. Never changes what it is given.
 */
public final class ObjectCheck {

  /**
   * What came out.
   *
   * @param admitted the object as it would be stored; present unless it cannot be read at all
   * @param templates its pod templates, empty when there are errors
   */
  public record Checked(
      GroupVersionKind kind,
      Optional<ObjectNode> admitted,
      List<PodTemplate> templates,
      List<Finding> findings) {

    public Checked {
      templates = List.copyOf(templates);
      findings = List.copyOf(findings);
    }

    Checked with(Finding finding) {
      var more = new ArrayList<>(findings);
      more.add(finding);
      return new Checked(kind, admitted, templates, more);
    }

    public boolean ok() {
      return findings.stream().noneMatch(Finding::isError);
    }
  }

  private static final GroupVersionKind JOB = new GroupVersionKind("batch", "v1", "Job");
  private static final Pattern SUPPORTED = Pattern.compile("\"([^\"]*)\"");

  /** A check cannot know what a cluster holds; it believes what the manifest says. */
  private static final Lookup EVERYTHING_NAMED_EXISTS =
      (_, kind, _, name) ->
          switch (kind) {
            case "ServiceAccount", "PriorityClass" -> {
              ObjectNode found = Wire.object().put("kind", kind).put("value", 0);
              found.putObject("metadata").put("name", name);
              yield Optional.of(found);
            }
            default -> Optional.empty();
          };

  private final Schema schema;
  private final Decoder decoder;
  private final Admission admission;

  public ObjectCheck(Gates gates, Decoding decoding) {
    this.schema = Schema.of(gates, decoding);
    this.decoder = new Decoder(schema);
    this.admission =
        new Admission(
            new AdmissionSettings(gates, decoding, TokenVolumes.NONE),
            schema,
            new SplittableRandom(0)); // names of samples; nobody sees them
  }

  public Checked check(ObjectNode object) {
    var kind = GroupVersionKind.of(Trees.text(object, "apiVersion"), Trees.text(object, "kind"));
    var nameless = nameless(object);
    if (!nameless.isEmpty()) {
      return unreadable(kind, nameless);
    }
    var definition = schema.kind(kind);
    if (definition.isEmpty()) {
      return unreadable(kind, List.of(unknownKind(kind)));
    }
    var shape = new Shape(schema, object, definition.get());
    var findings = new ArrayList<>(shape.unknown());
    if (!shape.wrongTypes().isEmpty()) {
      findings.addAll(shape.wrongTypes());
      return unreadable(kind, findings);
    }
    ObjectNode decoded;
    try {
      decoded = decoder.decode(new Document(object.deepCopy(), List.of()), kind).object();
    } catch (Undecodable e) {
      findings.add(Finding.error("", String.valueOf(e.getMessage())));
      return unreadable(kind, findings);
    }
    Admitted admitted = admit(kind, decoded);
    findings.addAll(findings(admitted));
    var templates = templates(kind, admitted, findings);
    boolean ok = findings.stream().noneMatch(Finding::isError);
    return new Checked(kind, Optional.of(admitted.object()), ok ? templates : List.of(), findings);
  }

  /** What keeps an object from being any kind of object. */
  private static List<Finding> nameless(ObjectNode object) {
    var findings = new ArrayList<Finding>();
    for (String field : List.of("apiVersion", "kind")) {
      if (Trees.text(object, field).isEmpty()) {
        findings.add(Finding.error(field, "Required value"));
      }
    }
    return findings;
  }

  static Checked unreadable(GroupVersionKind kind, List<Finding> findings) {
    return new Checked(kind, Optional.empty(), List.of(), findings);
  }

  /**
   * An unknown kind of Kubernetes or JobSet is a mistake; that of another group is a custom one.
   */
  private Finding unknownKind(GroupVersionKind kind) {
    var kinds = new ArrayList<GroupVersionKind>();
    schema.names().forEach(name -> kinds.addAll(schema.definition(name).kinds()));
    boolean custom = kinds.stream().noneMatch(known -> known.group().equals(kind.group()));
    if (custom) {
      return Finding.note(
          "kind",
          "\"%s\" of apiVersion \"%s\" is not known here and was not checked"
              .formatted(kind.kind(), kind.apiVersion()));
    }
    return kinds.stream()
        .filter(known -> known.kind().equals(kind.kind()))
        .findFirst()
        .map(known ->
            Finding.error(
                "apiVersion",
                "kind %s is not in \"%s\"".formatted(kind.kind(), kind.apiVersion()),
                "write apiVersion: " + known.apiVersion()))
        .orElseGet(() ->
            Finding.error(
                "kind",
                "unknown kind \"%s\" in apiVersion \"%s\""
                    .formatted(kind.kind(), kind.apiVersion()),
                NearestName.hint(
                    kind.kind(), kinds.stream().map(GroupVersionKind::kind).toList())));
  }

  private Admitted admit(GroupVersionKind kind, ObjectNode object) {
    ObjectNode metadata = Trees.child(object, "metadata");
    String prefix = Trees.text(metadata, "generateName");
    if (!prefix.isEmpty()) {
      Trees.fill(metadata, "name", prefix + "abcde"); // as the server will
    }
    if (!kind.kind().equals("Namespace")) {
      Trees.fill(metadata, "namespace", "default");
    }
    metadata.put("uid", "00000000-0000-0000-0000-000000000000");
    metadata.put("creationTimestamp", "1970-01-01T00:00:00Z");
    return admission.admit(
        new Review(kind, Operation.CREATE, object, null), EVERYTHING_NAMED_EXISTS);
  }

  private static List<Finding> findings(Admitted admitted) {
    var findings = new ArrayList<Finding>();
    for (FieldError error : admitted.errors()) {
      boolean whole = error.path().steps().isEmpty();
      findings.add(
          whole
              ? Finding.error("", error.detail())
              : Finding.error(error.path().toString(), error.body(), hint(error)));
    }
    if (admitted.errors().isEmpty()) {
      admitted
          .refusal()
          .ifPresent(status -> findings.add(Finding.error("", Trees.text(status, "message"))));
    }
    for (String warning : admitted.warnings()) {
      if (!warning.startsWith(JobSetAdmission.FILLED_IN)) { // depends on where it will run
        findings.add(warning(warning));
      }
    }
    return findings;
  }

  /** Kubernetes' text lists what is supported; the author wants to know which was meant. */
  private static String hint(FieldError error) {
    if (error.kind() != FieldError.Kind.NOT_SUPPORTED || error.badValue() == null) {
      return "";
    }
    var supported =
        SUPPORTED.matcher(error.detail()).results().map(match -> match.group(1)).toList();
    String found = String.valueOf(error.badValue()).replace("\"", "");
    return found.isEmpty() ? "" : NearestName.hint(found, supported);
  }

  /** Warnings of admission are texts that begin with the field. */
  private static Finding warning(String text) {
    int colon = text.indexOf(": ");
    boolean field = colon > 0 && (text.startsWith("spec.") || text.startsWith("metadata."));
    return field
        ? Finding.warning(text.substring(0, colon), text.substring(colon + 2))
        : Finding.warning("", text);
  }

  private List<PodTemplate> templates(
      GroupVersionKind kind, Admitted admitted, List<Finding> findings) {
    return switch (kind.group() + "/" + kind.kind()) {
      case "/Pod" -> List.of(PodTemplate.ofPod(admitted.object()));
      case "batch/Job" -> List.of(PodTemplate.ofJob(admitted.object()));
      case "jobset.x-k8s.io/JobSet" ->
          admitted.refusal().isPresent() ? List.of() : ofJobSet(admitted.object(), findings);
      default -> List.of();
    };
  }

  /** The first Job of each entry; its admission sees what the JobSet's does not look at. */
  private List<PodTemplate> ofJobSet(ObjectNode jobSet, List<Finding> findings) {
    var templates = new ArrayList<PodTemplate>();
    var entries = Trees.objects(jobSet, "spec", "replicatedJobs");
    for (int i = 0; i < entries.size(); i++) {
      ObjectNode entry = entries.get(i);
      String name = Trees.text(entry, "name");
      ObjectNode job = Wire.object();
      job.set("spec", Trees.child(Trees.child(entry.deepCopy(), "template"), "spec"));
      AgentInjection.inject(job, jobSet, entry);
      Trees.child(job, "metadata")
          .put("name", Trees.text(jobSet, "metadata", "name") + "-" + name + "-0");
      String prefix = "spec.replicatedJobs[" + i + "].template.";
      Admitted child;
      try {
        // Read as the server will: the JobSet's schema leaves amounts as they were written.
        child = admit(JOB, decoder.decode(new Document(job, List.of()), JOB).object());
      } catch (Undecodable e) {
        findings.add(Finding.error(prefix + "spec", String.valueOf(e.getMessage())));
        continue;
      }
      for (Finding finding : findings(child)) {
        if (finding.field().startsWith("spec.")) { // names are judged with the JobSet (JS-52)
          findings.add(finding.below(prefix));
        }
      }
      templates.add(PodTemplate.ofReplicatedJob(jobSet, name, i, child.object()));
    }
    return templates;
  }
}
