package dev.regroup.api.jobset;

/** What a JobSet is called on the wire. */
public final class JobSet {

  public static final String GROUP = "jobset.x-k8s.io";
  public static final String VERSION = "v1alpha2";
  public static final String API_VERSION = GROUP + "/" + VERSION;
  public static final String KIND = "JobSet";

  private JobSet() {}
}
