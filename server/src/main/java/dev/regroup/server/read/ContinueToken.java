package dev.regroup.server.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import java.util.Arrays;
import java.util.Base64;

/**
 * Where the next page of a list begins, and of which revision. Opaque to clients.
 *
 * @param startKey the first key that may be on the page
 */
record ContinueToken(long revision, String startKey) {

  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  private static final String BEGINNINGS = "{[\"-0123456789tfn \t\r\n";
  private static final String VERSION = "meta.k8s.io/v1";

  String encode() {
    var json = Wire.object();
    json.put("v", VERSION).put("rv", revision).put("start", startKey);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Wire.write(json));
  }

  static ContinueToken decode(String text) throws Refused {
    var json = json(text);
    if (!json.isObject()) {
      throw notValid(": json: cannot unmarshal array into Go value of type storage.continueToken");
    }
    if (json.path("rv").isTextual()) {
      throw notValid(
          ": json: cannot unmarshal string into Go struct field continueToken.rv of type int64");
    }
    if (!json.path("v").asText().equals(VERSION)) {
      throw notValid(": server does not recognize this encoded version " + json.path("v").asText());
    }
    long revision = json.path("rv").asLong();
    if (revision == 0) {
      throw notValid(": incorrect encoded start resourceVersion (version " + VERSION + ")");
    }
    if (json.path("start").asText().isEmpty()) {
      throw notValid(": encoded start key empty (version " + VERSION + ")");
    }
    var start = json.path("start").asText();
    if (!isClean(start)) {
      throw notValid(": " + start);
    }
    return new ContinueToken(revision, start);
  }

  /** A path that leads nowhere else. */
  private static boolean isClean(String key) {
    return key.equals("/")
        || Arrays.stream((key.startsWith("/") ? key.substring(1) : key).split("/", -1))
            .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
  }

  private static JsonNode json(String text) throws Refused {
    int end = text.length() % 4 == 1 ? text.length() - 1 : text.length();
    for (int i = 0; i < text.length(); i++) {
      if (i == end || ALPHABET.indexOf(text.charAt(i)) < 0) {
        throw notValid(": illegal base64 data at input byte " + i);
      }
    }
    byte[] bytes = Base64.getUrlDecoder().decode(text);
    if (bytes.length > 0 && BEGINNINGS.indexOf(bytes[0]) < 0) {
      var quoted = GoText.quote(String.valueOf((char) (bytes[0] & 0xff)));
      throw notValid(
          ": invalid character '%s' looking for beginning of value"
              .formatted(quoted.substring(1, quoted.length() - 1)));
    }
    try {
      return Document.any(bytes);
    } catch (Undecodable e) {
      throw notValid(": " + Bodies.cause(e));
    }
  }

  private static Refused notValid(String problem) {
    return Refused.badRequest("invalid continue token: continue key is not valid" + problem);
  }
}
