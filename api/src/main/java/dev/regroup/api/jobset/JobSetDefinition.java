package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import java.util.List;

/**
 * The definition of JobSet for clusters (JS-1 to JS-28, JS-154), made from the same schema that
 * decodes JobSets here. It has all fields of the status, those of the draft with a default. Fields
 * that Regroup adds to pods are left out: an API server would drop them from the pods, and so says
 * that it does not know them.
 */
public final class JobSetDefinition {

  public static final String NAME = "jobsets." + JobSet.GROUP;

  /** Label of what Regroup has made, also of its definition. */
  public static final String PART_OF = "app.kubernetes.io/part-of";

  private static final List<String> IMMUTABLE =
      List.of("network", "successPolicy", "failurePolicy", "startupPolicy", "volumeClaimPolicies");

  private JobSetDefinition() {}

  public static ObjectNode object() {
    var definition =
        Wire.object()
            .put("apiVersion", "apiextensions.k8s.io/v1")
            .put("kind", "CustomResourceDefinition");
    var metadata = definition.putObject("metadata").put("name", NAME);
    metadata.putObject("labels").put(PART_OF, "regroup");
    var spec = definition.putObject("spec").put("group", JobSet.GROUP).put("scope", "Namespaced");
    spec.putObject("names")
        .put("kind", JobSet.KIND)
        .put("listKind", "JobSetList")
        .put("plural", "jobsets")
        .put("singular", "jobset");
    var version = spec.putArray("versions").addObject().put("name", JobSet.VERSION);
    version.put("served", true).put("storage", true);
    version.putObject("subresources").putObject("status");
    columns(version);
    version.putObject("schema").set("openAPIV3Schema", schema());
    return definition;
  }

  /** JS-2. */
  private static void columns(ObjectNode version) {
    var columns = version.putArray("additionalPrinterColumns");
    for (var column :
        List.of(
            List.of("TerminalState", "string", ".status.terminalState"),
            List.of("Restarts", "string", ".status.restarts"),
            List.of("Completed", "string", ".status.conditions[?(@.type==\"Completed\")].status"),
            List.of("Suspended", "string", ".spec.suspend"),
            List.of("Age", "date", ".metadata.creationTimestamp"))) {
      columns
          .addObject()
          .put("name", column.get(0))
          .put("type", column.get(1))
          .put("jsonPath", column.get(2));
    }
  }

  private static ObjectNode schema() {
    var fields = new StructuralFields(Schema.of(Gates.upstream(), Decoding.STRICT));
    var root = Wire.object().put("type", "object");
    var properties = root.putObject("properties");
    properties.putObject("apiVersion").put("type", "string");
    properties.putObject("kind").put("type", "string");
    properties.putObject("metadata").put("type", "object");
    var spec = fields.struct("io.x-k8s.jobset.v1alpha2.JobSetSpec");
    rules(spec);
    properties.set("spec", spec);
    var status = fields.struct("io.x-k8s.jobset.v1alpha2.JobSetStatus");
    for (String draft : List.of("deprecatedEpoch", "syncedEpoch")) {
      Trees.child(Trees.child(status, "properties"), draft).put("default", 0);
    }
    properties.set("status", status);
    return root;
  }

  private static void rules(ObjectNode spec) {
    rule(
        spec,
        "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' &&"
            + " has(self.replicatedJobs) && self.replicatedJobs.exists(x, has(x.dependsOn)))",
        "StartupPolicy and DependsOn APIs are mutually exclusive");
    var properties = Trees.child(spec, "properties");
    for (String field : IMMUTABLE) {
      immutable(Trees.child(properties, field));
    }
    immutable(child(properties, "replicatedJobs", "items", "properties", "dependsOn"));
    rule(
        child(properties, "volumeClaimPolicies", "items"),
        "!has(self.templates) || self.templates.all(t, !has(t.metadata) ||"
            + " !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
        "namespace cannot be set for VolumeClaimPolicies templates");
  }

  private static ObjectNode child(ObjectNode node, String... path) {
    var here = node;
    for (String step : path) {
      here = Trees.child(here, step);
    }
    return here;
  }

  private static void immutable(ObjectNode field) {
    rule(field, "self == oldSelf", "Value is immutable");
  }

  private static void rule(ObjectNode field, String rule, String message) {
    Trees.list(field, "x-kubernetes-validations")
        .addObject()
        .put("rule", rule)
        .put("message", message);
  }
}
