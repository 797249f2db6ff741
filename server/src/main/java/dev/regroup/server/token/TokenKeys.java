package dev.regroup.server.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that sign tokens, in owner-only files of one directory: {@code 1.key}, {@code 2.key} and
 * so on. The one with the highest number signs, all of them are believed. A key is rotated by
 * putting a new file there and, when the last of its tokens is over, taking the old one away;
 * {@link KeyDirectory} notices both.
 */
public final class TokenKeys {
  private static final String END = ".key";

  private final List<SigningKey> keys;

  private TokenKeys(List<SigningKey> keys) {
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
        SigningKey.make(directory.resolve("1" + END));
        files = files(directory);
      }
      var keys = new ArrayList<SigningKey>();
      for (var file : files) {
        keys.add(SigningKey.read(file));
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

  private SigningKey signing() {
    return keys.getLast();
  }

  /** The name of the key that signs now. */
  String signer() {
    return signing().id();
  }

  /** How that key signs. */
  String algorithm() {
    return signing().algorithm().name();
  }

  byte[] sign(byte[] text) {
    return signing().sign(text);
  }

  boolean verify(String keyId, String algorithm, byte[] text, byte[] signed) {
    return keys.stream()
        .filter(key -> key.id().equals(keyId) && key.algorithm().name().equals(algorithm))
        .anyMatch(key -> key.verify(text, signed));
  }

  /** The ways its keys sign, each once. */
  List<String> algorithms() {
    return keys.stream().map(key -> key.algorithm().name()).distinct().sorted().toList();
  }

  /** The public halves, as a JSON web key set. */
  public ObjectNode document() {
    var set = Wire.object();
    var list = set.putArray("keys");
    keys.reversed().forEach(key -> key.describe(list.addObject()));
    return set;
  }
}
