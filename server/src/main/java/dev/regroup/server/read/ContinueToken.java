package dev.regroup.server.read;

import dev.regroup.api.Wire;
import dev.regroup.server.wire.Refused;
import java.io.IOException;
import java.util.Base64;

/**
 * Where the next page of a list begins, and of which revision. Opaque to clients.
 *
 * @param startKey the first key that may be on the page
 */
record ContinueToken(long revision, String startKey) {

  String encode() {
    var json = Wire.object();
    json.put("v", "meta.k8s.io/v1").put("rv", revision).put("start", startKey);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Wire.write(json));
  }

  static ContinueToken decode(String text) throws Refused {
    try {
      var json = Wire.tree(Base64.getUrlDecoder().decode(text));
      if (json.path("v").asText().equals("meta.k8s.io/v1") && json.path("start").isTextual()) {
        return new ContinueToken(json.path("rv").asLong(), json.path("start").asText());
      }
    } catch (IllegalArgumentException | IOException e) {
      throw notValid(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
    throw notValid("continue key is not valid: incorrect encoded start resourceVersion");
  }

  private static Refused notValid(String problem) {
    return Refused.badRequest("invalid continue token: " + problem);
  }
}
