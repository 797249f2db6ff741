package dev.regroup.server.access;

import java.util.Optional;

/**
 * What a request brings to prove who asks. Where it brings several, the order of the authenticators
 * decides which one counts.
 *
 * @param certificate of a client that has shown one whose authority is ours
 * @param bearerToken as sent, not judged yet
 * @param vouched the identity of a part of this process; nothing outside can bring one
 */
public record Credentials(
    Optional<PeerCertificate> certificate,
    Optional<String> bearerToken,
    Optional<Identity> vouched) {

  /** Of a client at the other end of a connection. */
  public static Credentials remote(
      Optional<PeerCertificate> certificate, Optional<String> bearerToken) {
    return new Credentials(certificate, bearerToken, Optional.empty());
  }

  /** Of a part of this process, which the one who wires it vouches for. */
  public static Credentials vouchedFor(Identity identity) {
    return new Credentials(Optional.empty(), Optional.empty(), Optional.of(identity));
  }
}
