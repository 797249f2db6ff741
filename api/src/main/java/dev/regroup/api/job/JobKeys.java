package dev.regroup.api.job;

/** Finalizer, labels, annotations and reserved names of Jobs (job.md section 3). */
public final class JobKeys {

  /** Finalizer of a pod whose end is not yet counted (JB-30). */
  public static final String TRACKING = "batch.kubernetes.io/job-tracking";

  /** Label and annotation of a pod of an indexed Job (JB-34). */
  public static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

  // Annotations of a pod whose index has a limit of failures (JB-33).
  public static final String FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
  public static final String IGNORED_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";

  /** {@code managedBy} of the built-in controller; the same as none (JB-92). */
  static final String RESERVED_MANAGER = "kubernetes.io/job-controller";

  private JobKeys() {}
}
