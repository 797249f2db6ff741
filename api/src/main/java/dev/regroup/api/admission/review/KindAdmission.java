package dev.regroup.api.admission.review;

/** What a kind does itself with a write of one of its objects, before and after the plugins. */
public interface KindAdmission {

  /** Folds other spellings and fills in defaults: what plugins may rely on. */
  Admitted fill(Review review);

  /** Keeps what the request may not touch, and checks everything, also what plugins did. */
  Admitted judge(Review review, Lookup lookup);
}
