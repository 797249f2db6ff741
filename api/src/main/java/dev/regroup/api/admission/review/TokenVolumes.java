package dev.regroup.api.admission.review;

/** Whether pods get a token volume of their service account. */
public enum TokenVolumes {
  /** As Kubernetes' ServiceAccount plugin: needs a server that issues tokens. */
  MOUNTED,
  /** Left out: no token service runs yet. */
  NONE
}
