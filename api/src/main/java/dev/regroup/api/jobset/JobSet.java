package dev.regroup.api.jobset;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/** A group of Jobs that succeed, fail and restart together (jobset.md JS-1). */
public record JobSet(
    String apiVersion,
    String kind,
    ObjectMeta metadata,
    JobSetSpec spec,
    @Nullable JobSetStatus status) {

  public static final String GROUP = "jobset.x-k8s.io";
  public static final String VERSION = "v1alpha2";
  public static final String API_VERSION = GROUP + "/" + VERSION;
  public static final String KIND = "JobSet";

  public JobSet {
    apiVersion = apiVersion == null ? API_VERSION : apiVersion;
    kind = kind == null ? KIND : kind;
    metadata = metadata == null ? new ObjectMeta() : metadata;
    spec = spec == null ? JobSetSpec.EMPTY : spec;
  }
}
