package dev.regroup.server.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.server.https.OwnerFile;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * The keys that sign tokens, in owner-only files of one directory: {@code 1.key}, {@code 2.key} and
 * so on. The one with the highest number signs, all of them are believed. A key is rotated by
 * putting a new file there and, when the last of its tokens is over, taking the old one away; both
 * count from the next start on.
 */
public final class TokenKeys {
  private static final String END = ".key";
  private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

  private final List<Key> keys;

  private record Key(String id, PrivateKey secret, RSAPublicKey open) {}

  private TokenKeys(List<Key> keys) {
    this.keys = List.copyOf(keys);
  }

  /** Reads the keys, or makes the first one. */
  public static TokenKeys open(Path directory) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      var files = files(directory);
      if (files.isEmpty()) {
        write(directory.resolve("1" + END));
        files = files(directory);
      }
      var keys = new ArrayList<Key>();
      for (var file : files) {
        keys.add(read(file));
      }
      return new TokenKeys(keys);
    } catch (GeneralSecurityException e) {
      throw new IOException("keys in " + directory + " cannot be used", e);
    }
  }

  /** Sorted by their numbers; a file with another name is no key. */
  private static List<Path> files(Path directory) throws IOException {
    try (var all = Files.list(directory)) {
      return all.filter(file -> file.getFileName().toString().matches("\\d{1,9}\\.key"))
          .sorted(java.util.Comparator.comparingInt(TokenKeys::number))
          .toList();
    }
  }

  private static int number(Path file) {
    var name = file.getFileName().toString();
    return Integer.parseInt(name.substring(0, name.length() - END.length()));
  }

  private static void write(Path file) throws IOException, GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    OwnerFile.write(file, generator.generateKeyPair().getPrivate().getEncoded());
  }

  private static Key read(Path file) throws IOException, GeneralSecurityException {
    var factory = KeyFactory.getInstance("RSA");
    var secret = factory.generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(file)));
    if (!(secret instanceof RSAPrivateCrtKey whole)) {
      throw new GeneralSecurityException(file + " is no RSA key");
    }
    var open =
        (RSAPublicKey)
            factory.generatePublic(
                new RSAPublicKeySpec(whole.getModulus(), whole.getPublicExponent()));
    var id = URL.encodeToString(MessageDigest.getInstance("SHA-256").digest(open.getEncoded()));
    return new Key(id, secret, open);
  }

  /** The name of the key that signs now. */
  String signer() {
    return keys.getLast().id();
  }

  byte[] sign(byte[] text) {
    try {
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(keys.getLast().secret());
      signature.update(text);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a token cannot be signed", e);
    }
  }

  boolean verify(String keyId, byte[] text, byte[] signed) {
    return keys.stream()
        .filter(key -> key.id().equals(keyId))
        .anyMatch(key -> verify(key.open(), text, signed));
  }

  private static boolean verify(PublicKey key, byte[] text, byte[] signed) {
    try {
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initVerify(key);
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // no signature of this key
    }
  }

  /** The public halves, as a JSON web key set. */
  public ObjectNode document() {
    var set = Wire.object();
    var list = set.putArray("keys");
    for (var key : keys.reversed()) {
      list.addObject()
          .put("use", "sig")
          .put("kty", "RSA")
          .put("kid", key.id())
          .put("alg", "RS256")
          .put("n", number(key.open().getModulus()))
          .put("e", number(key.open().getPublicExponent()));
    }
    return set;
  }

  private static String number(BigInteger number) {
    var bytes = number.toByteArray();
    return URL.encodeToString(bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
  }
}
