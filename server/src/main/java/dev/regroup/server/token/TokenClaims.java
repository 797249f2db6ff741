package dev.regroup.server.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Identity;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a token says. Pure.
 *
 * @param bound the pod, node or secret it lives as long as; null for an account's own
 * @param node where that pod runs; null when it is nowhere
 */
record TokenClaims(
    String id,
    List<String> audiences,
    Instant issued,
    Instant expires,
    Ref account,
    @Nullable Bound bound,
    @Nullable Ref node,
    String namespace) {

  static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
  private static final String OURS = "kubernetes.io";
  private static final String EXTRA = "authentication.kubernetes.io/";
  private static final Base64.Encoder TO_TEXT = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder FROM_TEXT = Base64.getUrlDecoder();

  /** An object, by its name and by its identity. */
  record Ref(String name, String uid) {
    private static Ref of(ObjectNode claim) {
      return new Ref(Trees.text(claim, "name"), Trees.text(claim, "uid"));
    }
  }

  /** Kinds a token can be bound to, with the name of their claim. */
  enum BoundKind {
    POD,
    SECRET,
    NODE;

    String claim() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    String plural() {
      return claim() + "s";
    }
  }

  record Bound(BoundKind kind, Ref ref) {}

  TokenClaims {
    audiences = List.copyOf(audiences);
  }

  String signed(TokenKeys keys) {
    var head = Wire.object().put("alg", keys.algorithm()).put("kid", keys.signer());
    var text = encode(Wire.write(head)) + "." + encode(Wire.write(json()));
    return text + "." + encode(keys.sign(text.getBytes(StandardCharsets.US_ASCII)));
  }

  private ObjectNode json() {
    var json = Wire.object();
    audiences.forEach(json.putArray("aud")::add);
    json.put("exp", expires.getEpochSecond())
        .put("iat", issued.getEpochSecond())
        .put("iss", ISSUER)
        .put("jti", id);
    var ours = json.putObject(OURS).put("namespace", namespace);
    if (node != null) {
      put(ours, "node", node);
    }
    if (bound != null) {
      put(ours, bound.kind().claim(), bound.ref());
    }
    put(ours, "serviceaccount", account);
    return json.put("nbf", issued.getEpochSecond()).put("sub", identity().user());
  }

  private static void put(ObjectNode claims, String name, Ref ref) {
    claims.putObject(name).put("name", ref.name()).put("uid", ref.uid());
  }

  /** The claims of a token that one of these keys has signed. */
  static Optional<TokenClaims> read(String token, TokenKeys keys) {
    var parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      var head = Wire.tree(FROM_TEXT.decode(parts[0]));
      var text = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
      boolean ours =
          keys.verify(
              Trees.text(head, "kid"), Trees.text(head, "alg"), text, FROM_TEXT.decode(parts[2]));
      return ours ? of(Wire.tree(FROM_TEXT.decode(parts[1]))) : Optional.empty();
    } catch (java.io.IOException | IllegalArgumentException e) {
      return Optional.empty(); // no token at all
    }
  }

  private static Optional<TokenClaims> of(ObjectNode json) {
    if (!Trees.text(json, "iss").equals(ISSUER)) {
      return Optional.empty();
    }
    var ours = Trees.child(json, OURS);
    Bound bound = null;
    for (var kind : BoundKind.values()) {
      var claim = Trees.object(ours, kind.claim());
      if (bound == null && claim.isPresent()) {
        bound = new Bound(kind, Ref.of(claim.get())); // the node of a pod comes after the pod
      }
    }
    return Optional.of(
        new TokenClaims(
            Trees.text(json, "jti"),
            Trees.texts(json, "aud"),
            Instant.ofEpochSecond(json.path("iat").asLong()),
            Instant.ofEpochSecond(json.path("exp").asLong()),
            Ref.of(Trees.child(ours, "serviceaccount")),
            bound,
            Trees.object(ours, "node").map(Ref::of).orElse(null),
            Trees.text(ours, "namespace")));
  }

  boolean lastsAt(Instant now) {
    return now.isBefore(expires) && !now.isBefore(issued.minusSeconds(60)); // clocks differ
  }

  Identity identity() {
    var extra = new LinkedHashMap<String, List<String>>();
    extra.put(EXTRA + "credential-id", List.of("JTI=" + id));
    if (bound != null && bound.kind() == BoundKind.POD) {
      extra.put(EXTRA + "pod-name", List.of(bound.ref().name()));
      extra.put(EXTRA + "pod-uid", List.of(bound.ref().uid()));
    }
    if (node != null) {
      extra.put(EXTRA + "node-name", List.of(node.name()));
      extra.put(EXTRA + "node-uid", List.of(node.uid()));
    }
    return Identity.serviceAccount(namespace, account.name(), account.uid(), Map.copyOf(extra));
  }

  private static String encode(byte[] bytes) {
    return TO_TEXT.encodeToString(bytes);
  }
}
