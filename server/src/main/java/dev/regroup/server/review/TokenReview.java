package dev.regroup.server.review;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.token.BoundTokens;
import dev.regroup.server.wire.Refused;

/** Whose is a token. */
public record TokenReview(BoundTokens tokens) {

  ObjectNode status(ObjectNode review) throws Refused {
    var token = Trees.text(review, "spec", "token");
    if (token.isEmpty()) {
      throw Refused.badRequest("token is required for TokenReview in authentication");
    }
    var audiences = Trees.texts(review, "spec", "audiences");
    var found = tokens.verify(token, audiences);
    var status = Wire.object();
    if (found.isEmpty()) {
      status.putObject("user");
      return status.put("error", "invalid bearer token");
    }
    status.put("authenticated", true);
    status.set("user", Reviews.user(found.get().identity()));
    found.get().audiences().forEach(status.putArray("audiences")::add);
    return status;
  }
}
