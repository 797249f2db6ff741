package dev.regroup.api.admission.review;

import java.util.List;

/**
 * Links one after the other: each sees the object as those before left it, a refusal ends the
 * chain, warnings add up.
 */
public final class AdmissionChain<X extends Exception> implements AdmissionLink<X> {

  private final List<AdmissionLink<X>> links;

  public AdmissionChain(List<AdmissionLink<X>> links) {
    this.links = List.copyOf(links);
  }

  @Override
  public Admitted admit(Review review, Lookup lookup) throws X {
    var sofar = review.unchanged();
    for (AdmissionLink<X> link : links) {
      sofar = link.admit(review.after(sofar), lookup).after(sofar);
      if (sofar.refusal().isPresent()) {
        return sofar;
      }
    }
    return sofar;
  }
}
