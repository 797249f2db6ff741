package dev.regroup.server.https;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
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
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes an authority and what it signs. All keys are P-256: searching for RSA keys took longer than
 * the rest of a first start. The authority's key is forgotten at once: nothing more is signed by
 * it.
 *
 * @param files file name to PEM text
 */
record NewCertificates(Map<String, String> files) {
  private static final Duration VALID = Duration.ofDays(3650);
  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(5);
  private static final X500Name AUTHORITY = new X500Name("CN=regroup-ca");
  private static final X500Name SERVER = new X500Name("CN=kube-apiserver");
  private static final X500Name SERVICE = new X500Name("CN=regroup-webhook");
  private static final X500Name ADMIN = new X500Name("O=system:masters,CN=kubernetes-admin");

  /** When a certificate is good. */
  private record Span(Instant from, Instant until) {
    static Span of(Instant now, Duration valid) {
      return new Span(now.minus(CLOCKS_DIFFER), now.plus(valid));
    }
  }

  /** Names and addresses are those of the server. */
  static NewCertificates make(Instant now, Set<String> names, Set<String> addresses)
      throws GeneralSecurityException, IOException {
    try {
      var authorityKeys = elliptic();
      var keys = elliptic();
      var adminKeys = elliptic();
      var span = Span.of(now, VALID);
      var signer = signer(authorityKeys);
      return new NewCertificates(
          Map.of(
              "ca.crt",
              authority(authorityKeys, signer, span),
              "server.crt",
              server(SERVER, keys, signer, span, alternatives(names, addresses)),
              "server.key",
              pem("PRIVATE KEY", keys.getPrivate().getEncoded()),
              "admin.crt",
              admin(adminKeys, signer, span),
              "admin.key",
              pem("EC PRIVATE KEY", olderForm(adminKeys))));
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException("certificates cannot be made", e);
    }
  }

  /** An authority of its own for one service, and the service's certificate; no administrator. */
  static NewCertificates ofService(
      Instant now, Duration valid, Set<String> names, Set<String> addresses)
      throws GeneralSecurityException, IOException {
    try {
      var authorityKeys = elliptic();
      var keys = elliptic();
      var span = Span.of(now, valid);
      var signer = signer(authorityKeys);
      return new NewCertificates(
          Map.of(
              "ca.crt",
              authority(authorityKeys, signer, span),
              "tls.crt",
              server(SERVICE, keys, signer, span, alternatives(names, addresses)),
              "tls.key",
              pem("PRIVATE KEY", keys.getPrivate().getEncoded())));
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException("certificates cannot be made", e);
    }
  }

  private static String authority(KeyPair keys, ContentSigner signer, Span span)
      throws IOException {
    var builder = builder(AUTHORITY, keys, span);
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    builder.addExtension(
        Extension.keyUsage,
        true,
        new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyCertSign | KeyUsage.cRLSign));
    return sign(builder, signer);
  }

  private static GeneralNames alternatives(Set<String> names, Set<String> addresses) {
    var all = new ArrayList<GeneralName>();
    names.stream().sorted().forEach(n -> all.add(new GeneralName(GeneralName.dNSName, n)));
    addresses.stream().sorted().forEach(a -> all.add(new GeneralName(GeneralName.iPAddress, a)));
    return new GeneralNames(all.toArray(GeneralName[]::new));
  }

  private static String server(
      X500Name subject, KeyPair keys, ContentSigner signer, Span span, GeneralNames alternatives)
      throws IOException {
    var builder = builder(subject, keys, span);
    addUse(builder, KeyPurposeId.id_kp_serverAuth);
    builder.addExtension(Extension.subjectAlternativeName, false, alternatives);
    return sign(builder, signer);
  }

  private static String admin(KeyPair keys, ContentSigner signer, Span span) throws IOException {
    var builder = builder(ADMIN, keys, span);
    addUse(builder, KeyPurposeId.id_kp_clientAuth);
    return sign(builder, signer);
  }

  private static void addUse(X509v3CertificateBuilder builder, KeyPurposeId purpose)
      throws IOException {
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
    builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
  }

  private static X509v3CertificateBuilder builder(X500Name subject, KeyPair keys, Span span) {
    return new X509v3CertificateBuilder(
        AUTHORITY,
        new BigInteger(120, new SecureRandom()),
        Date.from(span.from()),
        Date.from(span.until()),
        subject,
        SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()));
  }

  private static String sign(X509v3CertificateBuilder builder, ContentSigner signer)
      throws IOException {
    return pem("CERTIFICATE", builder.build(signer).getEncoded());
  }

  private static ContentSigner signer(KeyPair keys) throws OperatorCreationException {
    return new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
  }

  private static KeyPair elliptic() throws GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /** As kubeconfigs of other clusters have it; some clients take PKCS #8 for RSA (fabric8). */
  private static byte[] olderForm(KeyPair keys) throws IOException {
    var whole = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
    var secret = ECPrivateKey.getInstance(whole.parsePrivateKey()).getKey();
    var open = SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()).getPublicKeyData();
    return new ECPrivateKey(256, secret, open, whole.getPrivateKeyAlgorithm().getParameters())
        .getEncoded();
  }

  private static String pem(String label, byte[] der) {
    var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
  }
}
