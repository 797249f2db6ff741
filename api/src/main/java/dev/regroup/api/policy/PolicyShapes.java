package dev.regroup.api.policy;

import dev.regroup.api.cel.CelShape;
import dev.regroup.api.cel.CelShape.ListOf;
import dev.regroup.api.cel.CelShape.MapOf;
import dev.regroup.api.cel.CelShape.Plain;
import java.util.Map;
import java.util.Set;

/** The shapes of what every policy can look at beside the object. */
final class PolicyShapes {
  private static final CelShape TEXT = Plain.STRING;
  private static final CelShape TEXTS = new ListOf(TEXT);
  private static final CelShape LABELS = new MapOf(TEXT);

  private static final CelShape KIND =
      structure(
          "kubernetes.GroupVersionKind", Map.of("group", TEXT, "version", TEXT, "kind", TEXT));
  private static final CelShape RESOURCE =
      structure(
          "kubernetes.GroupVersionResource",
          Map.of("group", TEXT, "version", TEXT, "resource", TEXT));
  private static final CelShape USER =
      structure(
          "kubernetes.UserInfo",
          Map.of("username", TEXT, "uid", TEXT, "groups", TEXTS, "extra", new MapOf(TEXTS)));

  /** What is asked, and who asks. */
  static final CelShape REQUEST =
      structure(
          "kubernetes.AdmissionRequest",
          Map.ofEntries(
              Map.entry("kind", KIND),
              Map.entry("resource", RESOURCE),
              Map.entry("subResource", TEXT),
              Map.entry("requestKind", KIND),
              Map.entry("requestResource", RESOURCE),
              Map.entry("requestSubResource", TEXT),
              Map.entry("name", TEXT),
              Map.entry("namespace", TEXT),
              Map.entry("operation", TEXT),
              Map.entry("userInfo", USER),
              Map.entry("dryRun", Plain.BOOL),
              Map.entry("options", Plain.DYN)));

  /** The namespace of the object. */
  static final CelShape NAMESPACE =
      structure(
          "kubernetes.Namespace",
          Map.of(
              "metadata",
              structure(
                  "kubernetes.NamespaceMetadata",
                  Map.ofEntries(
                      Map.entry("name", TEXT),
                      Map.entry("generateName", TEXT),
                      Map.entry("namespace", TEXT),
                      Map.entry("labels", LABELS),
                      Map.entry("annotations", LABELS),
                      Map.entry("UID", TEXT),
                      Map.entry("creationTimestamp", Plain.TIMESTAMP),
                      Map.entry("deletionGracePeriodSeconds", Plain.INT),
                      Map.entry("deletionTimestamp", Plain.TIMESTAMP),
                      Map.entry("generation", Plain.INT),
                      Map.entry("resourceVersion", TEXT),
                      Map.entry("finalizers", TEXTS))),
              "spec",
              structure("kubernetes.NamespaceSpec", Map.of("finalizers", TEXTS)),
              "status",
              structure("kubernetes.NamespaceStatus", Map.of("phase", TEXT))));

  private PolicyShapes() {}

  /** A structure whose fields are spelt as on the wire. */
  static CelShape structure(String name, Map<String, CelShape> fields) {
    return new CelShape.Structure(name, new NamedFields(fields));
  }

  /** Reads the map anew each time, so that fields may come while a policy is compiled. */
  private record NamedFields(Map<String, CelShape> shapes) implements CelShape.Fields {

    @Override
    public Set<String> names() {
      return Set.copyOf(shapes.keySet());
    }

    @Override
    public CelShape shape(String name) {
      return shapes.getOrDefault(name, Plain.DYN);
    }
  }
}
