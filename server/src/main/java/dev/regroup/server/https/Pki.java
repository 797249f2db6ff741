package dev.regroup.server.https;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;

/**
 * The certificates of one data directory: an authority, the server's and the administrator's. Made
 * once and kept in owner-only files; made anew when the server's would soon expire or does not name
 * what it must.
 */
public final class Pki {
  private static final Duration EXPIRES_SOON = Duration.ofDays(30);

  private final String caPem;
  private final String adminCertificatePem;
  private final String adminKeyPem;
  private final X509Certificate ca;
  private final ServingCertificate server;

  private Pki(Path directory) throws IOException, GeneralSecurityException {
    this.caPem = Files.readString(directory.resolve("ca.crt"));
    this.adminCertificatePem = Files.readString(directory.resolve("admin.crt"));
    this.adminKeyPem = Files.readString(directory.resolve("admin.key"));
    this.ca = ServingCertificate.certificates(caPem).getFirst();
    this.server =
        ServingCertificate.ofPem(
            Files.readString(directory.resolve("server.crt")) + caPem,
            Files.readString(directory.resolve("server.key")));
  }

  /** Reads the certificates, or makes them. */
  public static Pki open(Path directory, InstantSource clock) throws IOException {
    try {
      if (Files.exists(directory.resolve("complete"))) {
        var pki = new Pki(directory);
        if (pki.lastsUntil(clock.instant().plus(EXPIRES_SOON)) && pki.namesTheServer()) {
          return pki;
        }
      }
      make(directory, clock.instant());
      return new Pki(directory);
    } catch (GeneralSecurityException e) {
      throw new IOException("certificates in " + directory + " cannot be used", e);
    }
  }

  private boolean lastsUntil(Instant time) {
    return server.chain().getFirst().getNotAfter().toInstant().isAfter(time);
  }

  /** False for a certificate of an earlier version that knew fewer names. */
  private boolean namesTheServer() throws CertificateParsingException {
    var alternatives = server.chain().getFirst().getSubjectAlternativeNames();
    if (alternatives == null) {
      return false;
    }
    var names = new HashSet<String>();
    for (var alternative : alternatives) {
      names.add(String.valueOf(alternative.get(1)));
    }
    return names.containsAll(DNS_NAMES)
        && ADDRESSES.stream().filter(address -> !address.contains(":")).allMatch(names::contains);
  }

  private static void make(Path directory, Instant now)
      throws IOException, GeneralSecurityException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.deleteIfExists(directory.resolve("complete"));
    var made = NewCertificates.make(now, DNS_NAMES, ADDRESSES);
    for (var file : made.files().entrySet()) {
      OwnerFile.write(directory.resolve(file.getKey()), file.getValue().getBytes(US_ASCII));
    }
    OwnerFile.write(
        directory.resolve("complete"), new byte[0]); // last: a crash before it makes them all again
  }

  public String caPem() {
    return caPem;
  }

  public String adminCertificatePem() {
    return adminCertificatePem;
  }

  public String adminKeyPem() {
    return adminKeyPem;
  }

  /** What the server shows. */
  public ServingCertificate server() {
    return server;
  }

  /** Who vouches for clients. */
  public X509Certificate authority() {
    return ca;
  }

  /** Names the server's certificate is made for. */
  static final Set<String> DNS_NAMES =
      Set.of(
          "localhost",
          "kubernetes",
          "kubernetes.default",
          "kubernetes.default.svc",
          "kubernetes.default.svc.cluster.local");

  /** Addresses it is made for: loopback and the API's address inside the cluster. */
  static final Set<String> ADDRESSES = Set.of("127.0.0.1", "::1", "10.96.0.1");
}
