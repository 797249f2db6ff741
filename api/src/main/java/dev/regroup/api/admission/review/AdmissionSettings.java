package dev.regroup.api.admission.review;

import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;

/** What the wiring decides once about admission. */
public record AdmissionSettings(Gates gates, Decoding decoding, TokenVolumes tokens) {
  public static AdmissionSettings of(Gates gates) {
    return new AdmissionSettings(gates, gates.decoding(), TokenVolumes.NONE);
  }
}
