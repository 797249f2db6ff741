package dev.regroup.client.https;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Private keys from PEM texts. Java reads PKCS#8; what kubeadm and others write in the older forms
 * is wrapped: a PKCS#8 key is a number, the algorithm as the public key names it, and the old form
 * inside.
 */
public final class PemKeys {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ((?:[A-Z]+ )?)PRIVATE KEY-----([^-]+)-----END");

  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};

  private PemKeys() {}

  /**
   * Reads a key.
   *
   * @param pem with one block, or with one key among other blocks
   * @param certified its other half, of the certificate
   */
  public static PrivateKey of(String pem, PublicKey certified) throws GeneralSecurityException {
    var block = BLOCK.matcher(pem);
    if (!block.find()) {
      throw new InvalidKeySpecException("no private key in PEM form");
    }
    var form = block.group(1);
    if (form.equals("ENCRYPTED ")) {
      throw new InvalidKeySpecException("the private key is encrypted");
    }
    byte[] der;
    try {
      der = Base64.getMimeDecoder().decode(block.group(2));
    } catch (IllegalArgumentException e) {
      throw new InvalidKeySpecException("the private key is not base64", e);
    }
    var encoded = form.isEmpty() ? der : wrapped(der, algorithm(certified.getEncoded()));
    return KeyFactory.getInstance(certified.getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  private static byte[] wrapped(byte[] old, byte[] algorithm) {
    return element(SEQUENCE, VERSION_0, algorithm, element(OCTETS, old));
  }

  /** The first element of a public key is its algorithm. */
  private static byte[] algorithm(byte[] publicKey) {
    int start = headerLength(publicKey, 0);
    int length = headerLength(publicKey, start) + contentLength(publicKey, start);
    return Arrays.copyOfRange(publicKey, start, start + length);
  }

  private static int headerLength(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    return first < 0x80 ? 2 : 2 + (first & 0x7f);
  }

  private static int contentLength(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = 0; i < (first & 0x7f); i++) {
      length = (length << 8) | (der[at + 2 + i] & 0xff);
    }
    return length;
  }

  private static byte[] element(int tag, byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    var out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.writeBytes(new byte[] {(byte) 0x81, (byte) length});
    } else {
      out.writeBytes(new byte[] {(byte) 0x82, (byte) (length >> 8), (byte) length});
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
