package dev.regroup.server.https;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * What a service inside a cluster shows, and who vouches for it; made by the service itself or
 * brought by somebody else.
 *
 * @param authorities PEM; one or more, also those whose certificates others still show
 * @param certificate PEM; the service's own first
 * @param key PEM
 */
public record ServiceCertificates(String authorities, String certificate, String key) {

  /**
   * New ones, with an authority nobody keeps the key of.
   *
   * @param names a service is reached by
   * @param addresses a service is reached by
   */
  public static ServiceCertificates make(
      Instant now, Duration valid, Set<String> names, Set<String> addresses) throws IOException {
    try {
      var made = NewCertificates.ofService(now, valid, names, addresses).files();
      return new ServiceCertificates(
          made.getOrDefault("ca.crt", ""),
          made.getOrDefault("tls.crt", ""),
          made.getOrDefault("tls.key", ""));
    } catch (GeneralSecurityException e) {
      throw new IOException("certificates cannot be made", e);
    }
  }

  /** The same, and those are believed, too, who vouched for an earlier one. */
  public ServiceCertificates alsoTrusting(String earlier) {
    return new ServiceCertificates(authorities + earlier, certificate, key);
  }

  public ServingCertificate serving() throws IOException {
    try {
      return ServingCertificate.ofPem(certificate, key);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException("the certificate of the service cannot be used: " + e, e);
    }
  }

  public Instant expires() throws IOException {
    return serving().chain().getFirst().getNotAfter().toInstant();
  }

  /** Whether the certificate holds for all of these names and addresses. */
  public boolean names(Set<String> wanted) throws IOException {
    try {
      var alternatives = serving().chain().getFirst().getSubjectAlternativeNames();
      if (alternatives == null) {
        return false;
      }
      var names = new HashSet<String>();
      for (var alternative : alternatives) {
        names.add(String.valueOf(alternative.get(1)));
      }
      return names.containsAll(wanted);
    } catch (CertificateParsingException e) {
      return false;
    }
  }
}
