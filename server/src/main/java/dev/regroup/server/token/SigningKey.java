package dev.regroup.server.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.https.OwnerFile;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/**
 * One key that signs tokens: P-256 as we make them, because it is found at once and signs ten times
 * as fast, or RSA as somebody has put it there.
 */
record SigningKey(String id, Algorithm algorithm, PrivateKey secret, PublicKey open) {
  private static final String PUBLIC = ".pub";
  private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();
  private static final int COORDINATE = 32; // bytes of a number of P-256

  /** How a key signs, by the names that tokens use. */
  enum Algorithm {
    ES256("SHA256withECDSAinP1363Format"),
    RS256("SHA256withRSA");

    private final String signature;

    Algorithm(String signature) {
      this.signature = signature;
    }
  }

  /** Makes one, in {@code file} and, its public half, beside it: a P-256 key does not tell it. */
  static void make(Path file) throws IOException, GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    var pair = generator.generateKeyPair();
    OwnerFile.write(publicFile(file), pair.getPublic().getEncoded());
    OwnerFile.write(file, pair.getPrivate().getEncoded()); // last: with it the key is there
  }

  static SigningKey read(Path file) throws IOException, GeneralSecurityException {
    var encoded = new PKCS8EncodedKeySpec(Files.readAllBytes(file));
    try {
      var factory = KeyFactory.getInstance("EC");
      var secret = factory.generatePrivate(encoded);
      var open = new X509EncodedKeySpec(Files.readAllBytes(publicFile(file)));
      if (!(factory.generatePublic(open) instanceof ECPublicKey point) || !isP256(point)) {
        throw new GeneralSecurityException(file + " is no P-256 key");
      }
      return new SigningKey(id(point), Algorithm.ES256, secret, point);
    } catch (InvalidKeySpecException e) {
      return readRsa(file, encoded);
    }
  }

  private static SigningKey readRsa(Path file, PKCS8EncodedKeySpec encoded)
      throws GeneralSecurityException {
    var factory = KeyFactory.getInstance("RSA");
    if (!(factory.generatePrivate(encoded) instanceof RSAPrivateCrtKey secret)) {
      throw new GeneralSecurityException(file + " is no P-256 or RSA key");
    }
    var open =
        factory.generatePublic(
            new RSAPublicKeySpec(secret.getModulus(), secret.getPublicExponent()));
    return new SigningKey(id(open), Algorithm.RS256, secret, open);
  }

  private static Path publicFile(Path file) {
    return file.resolveSibling(file.getFileName() + PUBLIC);
  }

  private static boolean isP256(ECPublicKey key) {
    return key.getParams().getOrder().bitLength() == COORDINATE * Byte.SIZE;
  }

  private static String id(PublicKey open) throws GeneralSecurityException {
    return URL.encodeToString(MessageDigest.getInstance("SHA-256").digest(open.getEncoded()));
  }

  byte[] sign(byte[] text) {
    try {
      var signature = Signature.getInstance(algorithm.signature);
      signature.initSign(secret);
      signature.update(text);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a token cannot be signed", e);
    }
  }

  boolean verify(byte[] text, byte[] signed) {
    try {
      var signature = Signature.getInstance(algorithm.signature);
      signature.initVerify(open);
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // no signature of this key
    }
  }

  /** Writes the public half as a JSON web key. */
  void describe(ObjectNode key) {
    key.put("use", "sig");
    switch (open) {
      case ECPublicKey point ->
          key.put("kty", "EC")
              .put("kid", id)
              .put("crv", "P-256")
              .put("alg", algorithm.name())
              .put("x", number(point.getW().getAffineX(), COORDINATE))
              .put("y", number(point.getW().getAffineY(), COORDINATE));
      case RSAPublicKey rsa ->
          key.put("kty", "RSA")
              .put("kid", id)
              .put("alg", algorithm.name())
              .put("n", number(rsa.getModulus(), 1))
              .put("e", number(rsa.getPublicExponent(), 1));
      default -> throw new IllegalStateException("a key of no known kind: " + open.getAlgorithm());
    }
  }

  /** The number's bytes, the highest first, at least so many. */
  private static String number(BigInteger number, int least) {
    int size = Math.max(least, (number.bitLength() + Byte.SIZE - 1) / Byte.SIZE);
    var bytes = new byte[size];
    var given = number.toByteArray();
    int used = Math.min(size, given.length);
    System.arraycopy(given, given.length - used, bytes, size - used, used);
    return URL.encodeToString(bytes);
  }
}
