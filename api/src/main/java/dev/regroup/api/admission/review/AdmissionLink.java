package dev.regroup.api.admission.review;

/**
 * One link of the chain between decoding and storing: looks at a write and gives back the object as
 * it shall be, with warnings, or a refusal. What it has nothing to say about it returns {@link
 * Review#unchanged}. The object of the review is the link's to change; the stored one is not.
 *
 * @param <X> what it may throw beside that: {@link RuntimeException} for a pure one, {@link
 *     InterruptedException} for one that waits, because it calls out or asks a cluster
 */
@FunctionalInterface
public interface AdmissionLink<X extends Exception> {

  Admitted admit(Review review, Lookup lookup) throws X;
}
