package dev.regroup.upstream;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The one authority of a cluster and what it signs, as files: {@code <name>.crt}, {@code
 * <name>.key} and, for clients, {@code <name>.kubeconfig}. Good for a day.
 */
public final class Authority {

  private static final Duration VALID = Duration.ofDays(1);
  private static final X500Name NAME = new X500Name("CN=real-cluster-ca");

  /** What all of its keys are. */
  public enum KeyKind {
    /** As most clusters have them. */
    RSA_2048,
    /** As Regroup's own. */
    P_256
  }

  private final Path folder;
  private final KeyKind kind;
  private final KeyPair keys;
  private final String pem;

  public Authority(Path folder, KeyKind kind) throws IOException, GeneralSecurityException {
    this.folder = Files.createDirectories(folder);
    this.kind = kind;
    this.keys = newKeys();
    var builder = builder(NAME, keys);
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
    this.pem = sign(builder);
    Files.writeString(file("ca.crt"), pem);
    var accounts = newKeys();
    Files.writeString(file("service-accounts.key"), pem("PRIVATE KEY", accounts.getPrivate()));
    Files.writeString(file("service-accounts.pub"), pem("PUBLIC KEY", accounts.getPublic()));
  }

  public Path file(String name) {
    return folder.resolve(name);
  }

  /** A certificate for servers and clients alike. */
  public void issue(String name, String subject, List<String> dnsNames, List<String> addresses)
      throws IOException, GeneralSecurityException {
    var own = newKeys();
    var builder = builder(new X500Name(subject), own);
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    builder.addExtension(
        Extension.extendedKeyUsage,
        false,
        new ExtendedKeyUsage(
            new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth}));
    var names = new ArrayList<GeneralName>();
    dnsNames.forEach(each -> names.add(new GeneralName(GeneralName.dNSName, each)));
    addresses.forEach(each -> names.add(new GeneralName(GeneralName.iPAddress, each)));
    if (!names.isEmpty()) {
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(names.toArray(GeneralName[]::new)));
    }
    Files.writeString(file(name + ".crt"), sign(builder));
    Files.writeString(file(name + ".key"), pem("PRIVATE KEY", own.getPrivate()));
  }

  /** A client with a certificate and a kubeconfig that holds it. */
  public Path client(String name, String subject, String server)
      throws IOException, GeneralSecurityException {
    issue(name, subject, List.of(), List.of());
    return kubeconfig(name, server);
  }

  /** The kubeconfig of whoever has the certificate of this name. */
  public Path kubeconfig(String name, String server) throws IOException {
    var user =
        "{client-certificate-data: %s, client-key-data: %s}"
            .formatted(base64(file(name + ".crt")), base64(file(name + ".key")));
    return write(file(name + ".kubeconfig"), server, user);
  }

  /** The kubeconfig of whoever has this token. */
  public Path kubeconfig(Path file, String server, String token) throws IOException {
    return write(file, server, "{token: " + token + "}");
  }

  private Path write(Path kubeconfig, String server, String user) throws IOException {
    return Files.writeString(
        kubeconfig,
        """
        apiVersion: v1
        kind: Config
        current-context: real
        clusters:
        - name: real
          cluster: {server: "%s", certificate-authority-data: %s}
        contexts:
        - name: real
          context: {cluster: real, user: own}
        users:
        - name: own
          user: %s
        """
            .formatted(server, base64(file("ca.crt")), user));
  }

  public String caPem() {
    return pem;
  }

  private X509v3CertificateBuilder builder(X500Name subject, KeyPair own) {
    var now = Instant.now();
    return new X509v3CertificateBuilder(
        NAME,
        new BigInteger(120, new SecureRandom()),
        Date.from(now.minus(Duration.ofMinutes(5))),
        Date.from(now.plus(VALID)),
        subject,
        SubjectPublicKeyInfo.getInstance(own.getPublic().getEncoded()));
  }

  private String sign(X509v3CertificateBuilder builder)
      throws IOException, GeneralSecurityException {
    try {
      var signer = new JcaContentSignerBuilder(algorithm()).build(keys.getPrivate());
      return pem("CERTIFICATE", builder.build(signer).getEncoded());
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException("certificates cannot be signed", e);
    }
  }

  private String algorithm() {
    return switch (kind) {
      case RSA_2048 -> "SHA256withRSA";
      case P_256 -> "SHA256withECDSA";
    };
  }

  private KeyPair newKeys() throws GeneralSecurityException {
    return switch (kind) {
      case RSA_2048 -> {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        yield generator.generateKeyPair();
      }
      case P_256 -> {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        yield generator.generateKeyPair();
      }
    };
  }

  private static String base64(Path file) throws IOException {
    return Base64.getEncoder().encodeToString(Files.readAllBytes(file));
  }

  private static String pem(String label, Key key) {
    return pem(label, key.getEncoded());
  }

  private static String pem(String label, byte[] der) {
    var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n";
  }
}
