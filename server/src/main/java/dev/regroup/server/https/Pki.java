package dev.regroup.server.https;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
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
  private final X509Certificate server;
  private final PrivateKey serverKey;

  private Pki(Path directory) throws IOException, GeneralSecurityException {
    this.caPem = Files.readString(directory.resolve("ca.crt"));
    this.adminCertificatePem = Files.readString(directory.resolve("admin.crt"));
    this.adminKeyPem = Files.readString(directory.resolve("admin.key"));
    this.ca = certificate(caPem);
    this.server = certificate(Files.readString(directory.resolve("server.crt")));
    this.serverKey = rsaKey(Files.readString(directory.resolve("server.key")));
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
    return server.getNotAfter().toInstant().isAfter(time);
  }

  /** False for a certificate of an earlier version that knew fewer names. */
  private boolean namesTheServer() throws CertificateParsingException {
    var alternatives = server.getSubjectAlternativeNames();
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
    made.files().forEach((name, text) -> write(directory.resolve(name), text));
    write(directory.resolve("complete"), ""); // last: a crash before it makes them all again
  }

  private static void write(Path file, String text) {
    try {
      var temporary = file.resolveSibling(file.getFileName() + ".new");
      Files.deleteIfExists(temporary);
      Files.createFile(
          temporary,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(temporary, text, StandardOpenOption.WRITE);
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
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

  KeyStore serverKeys() throws IOException {
    return store(store ->
        store.setKeyEntry("server", serverKey, new char[0], new Certificate[] {server, ca}));
  }

  KeyStore clientTrust() throws IOException {
    return store(store -> store.setCertificateEntry("ca", ca));
  }

  private interface Fill {
    void into(KeyStore store) throws GeneralSecurityException;
  }

  private static KeyStore store(Fill fill) throws IOException {
    try {
      var store = KeyStore.getInstance("PKCS12");
      store.load(null, new char[0]);
      fill.into(store);
      return store;
    } catch (GeneralSecurityException e) {
      throw new IOException("certificates cannot be used", e);
    }
  }

  private static X509Certificate certificate(String pem) throws GeneralSecurityException {
    var bytes = pem.getBytes(StandardCharsets.US_ASCII);
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(bytes));
  }

  private static PrivateKey rsaKey(String pem) throws GeneralSecurityException {
    var lines = new StringBuilder();
    pem.lines().filter(line -> !line.startsWith("-----")).forEach(lines::append);
    var bytes = Base64.getDecoder().decode(lines.toString());
    return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(bytes));
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
