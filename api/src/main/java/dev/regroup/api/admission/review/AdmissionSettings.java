package dev.regroup.api.admission.review;

import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;

/**
 * What the wiring decides once about admission.
 *
 * @param placement who gives pods of JobSets their place
 */
public record AdmissionSettings(
    Gates gates, Decoding decoding, TokenVolumes tokens, Placement placement) {

  /** Who gives pods of JobSets their place: one of them, or they get it twice. */
  public enum Placement {
    HERE,
    /** The webhook of a JobSet controller. */
    ELSEWHERE
  }

  public AdmissionSettings(Gates gates, Decoding decoding, TokenVolumes tokens) {
    this(gates, decoding, tokens, Placement.HERE);
  }

  public static AdmissionSettings of(Gates gates) {
    return new AdmissionSettings(gates, gates.decoding(), TokenVolumes.NONE);
  }

  public AdmissionSettings with(Placement other) {
    return new AdmissionSettings(gates, decoding, tokens, other);
  }
}
