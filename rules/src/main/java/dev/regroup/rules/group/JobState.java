package dev.regroup.rules.group;

/** What a Job means for the signs of its pods (JS-160b). */
public enum JobState {
  /** Its pods fail on their own account. */
  RUNNING,
  /** Suspended or as good as complete: its pods go because it says so. */
  LEAVING,
  /** It has failed or is about to: the failure policy decides, and the group waits for that. */
  FAILING
}
