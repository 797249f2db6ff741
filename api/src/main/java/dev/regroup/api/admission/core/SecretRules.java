package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys and types of a Secret. Its values never appear in a text. */
final class SecretRules implements KindRules {

  private static final String SSH_KEY = "ssh-privatekey";
  private static final String PARSE_ERROR = "json parse error: ";
  private static final FieldPath DATA = FieldPath.of("data");
  private static final int MOST = 1024 * 1024; // one MiB

  @Override
  public void fill(ObjectNode secret) {
    Trees.fill(secret, "type", "Opaque");
    // Plain values of a request are stored encoded.
    if (secret.remove("stringData") instanceof ObjectNode plain) {
      ObjectNode data = Trees.child(secret, "data");
      for (String key : Trees.keys(plain)) {
        byte[] value = Trees.text(plain, key).getBytes(UTF_8);
        data.put(key, Base64.getEncoder().encodeToString(value));
      }
    }
  }

  @Override
  public List<FieldError> check(ObjectNode secret, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    if (old != null) {
      String type = Trees.text(secret, "type");
      if (!type.equals(Trees.text(old, "type"))) {
        errors.add(invalid(FieldPath.of("type"), type, "field is immutable"));
      }
      ConfigMapRules.immutable(secret, old, List.of("data"), errors);
    }
    long size = 0;
    for (String key : Trees.keys(secret, "data")) {
      NameRules.configKey(key).forEach(problem -> errors.add(invalid(DATA.key(key), key, problem)));
      size += bytes(Trees.text(secret, "data", key));
    }
    if (size > MOST) {
      errors.add(FieldError.tooLong(DATA, MOST));
    }
    type(secret, errors);
    return errors;
  }

  /** How many bytes an encoded text stands for. */
  private static long bytes(String encoded) {
    int padding = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0;
    return encoded.length() / 4 * 3L - padding;
  }

  private static void type(ObjectNode secret, List<FieldError> errors) {
    switch (Trees.text(secret, "type")) {
      case "kubernetes.io/tls" -> needs(secret, List.of("tls.crt", "tls.key"), errors);
      case "kubernetes.io/ssh-auth" -> {
        if (Trees.text(secret, "data", SSH_KEY).isEmpty()) {
          errors.add(required(DATA.key(SSH_KEY), ""));
        }
      }
      case "kubernetes.io/basic-auth" -> {
        if (!secret.path("data").has("username") && !secret.path("data").has("password")) {
          needs(secret, List.of("username", "password"), errors);
        }
      }
      case "kubernetes.io/dockerconfigjson" -> dockerConfig(secret, ".dockerconfigjson", errors);
      case "kubernetes.io/dockercfg" -> dockerConfig(secret, ".dockercfg", errors);
      case "kubernetes.io/service-account-token" -> {
        String key = "kubernetes.io/service-account.name";
        if (Trees.text(secret, "metadata", "annotations", key).isEmpty()) {
          errors.add(required(FieldPath.of("metadata", "annotations").key(key), ""));
        }
      }
      default -> {} // any other type is free
    }
  }

  private static void needs(ObjectNode secret, List<String> keys, List<FieldError> errors) {
    for (String key : keys) {
      if (!secret.path("data").has(key)) {
        errors.add(required(DATA.key(key), ""));
      }
    }
  }

  private static String problem(byte[] config) {
    try {
      Document.any(config);
      return "json: cannot unmarshal into a map";
    } catch (Undecodable e) {
      String text = String.valueOf(e.getMessage());
      return text.substring(text.indexOf(PARSE_ERROR) + PARSE_ERROR.length());
    }
  }

  /**
   * Whether a key and a certificate belong together is not looked at, only whether there is one.
   */
  @Override
  public List<String> warnings(ObjectNode secret) {
    if (!Trees.text(secret, "type").equals("kubernetes.io/tls")) {
      return List.of();
    }
    var certificate = Base64.getDecoder().decode(Trees.text(secret, "data", "tls.crt"));
    return new String(certificate, UTF_8).contains("-----BEGIN ")
        ? List.of()
        : List.of("tls: failed to find any PEM data in certificate input");
  }

  private static void dockerConfig(ObjectNode secret, String key, List<FieldError> errors) {
    needs(secret, List.of(key), errors);
    String encoded = Trees.text(secret, "data", key);
    if (encoded.isEmpty()) {
      return;
    }
    byte[] config = Base64.getDecoder().decode(encoded);
    try {
      Wire.tree(config);
    } catch (IOException e) {
      errors.add(invalid(DATA.key(key), "<secret contents redacted>", problem(config)));
    }
  }
}
