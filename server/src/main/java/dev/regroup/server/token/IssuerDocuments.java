package dev.regroup.server.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import dev.regroup.server.wire.Answer;
import java.util.function.Supplier;

/** What others need to believe our tokens: who issues them, and the public keys. */
public record IssuerDocuments(Supplier<TokenKeys> keys) {
  public static final String CONFIGURATION = "/.well-known/openid-configuration";
  public static final String KEY_SET = "/openid/v1/jwks";

  /**
   * The document at {@link #CONFIGURATION}.
   *
   * @param host where the client has found this server
   */
  public Answer configuration(String host) {
    var document = Wire.object();
    document.put("issuer", TokenClaims.ISSUER).put("jwks_uri", "https://" + host + KEY_SET);
    document.putArray("response_types_supported").add("id_token");
    document.putArray("subject_types_supported").add("public");
    var algorithms = document.putArray("id_token_signing_alg_values_supported");
    keys.get().algorithms().forEach(algorithms::add);
    return answer("application/json", document);
  }

  /** The document at {@link #KEY_SET}. */
  public Answer keySet() {
    return answer("application/jwk-set+json", keys.get().document());
  }

  private static Answer answer(String mediaType, ObjectNode document) {
    return new Answer.Whole(
        new Response(200, Headers.of("content-type", mediaType), Wire.write(document)));
  }
}
