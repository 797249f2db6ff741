package dev.regroup.server.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Port: finds out who asks. Implementations judge one kind of credentials each; {@link #chain} asks
 * them in order. Any thread; must not wait for anything but memory and this server's store.
 */
@FunctionalInterface
public interface Authenticator {

  Authentication authenticate(Credentials credentials);

  /** Parts of this process are who their wiring says they are. */
  Authenticator VOUCHED =
      credentials ->
          credentials.vouched().isPresent()
              ? new Authentication.Proven(credentials.vouched().get())
              : new Authentication.NotMine();

  /** The names in a client certificate. */
  Authenticator CERTIFICATES =
      credentials -> {
        if (credentials.certificate().isEmpty()) {
          return new Authentication.NotMine();
        }
        var certificate = credentials.certificate().get();
        var groups = new ArrayList<>(certificate.groups());
        groups.add(Identity.AUTHENTICATED);
        return new Authentication.Proven(new Identity(certificate.user(), "", groups, Map.of()));
      };

  /** A token that nobody before knew was not issued by this server. */
  Authenticator UNKNOWN_TOKENS =
      credentials ->
          credentials.bearerToken().isPresent()
              ? new Authentication.Disproven()
              : new Authentication.NotMine();

  /** Who brings nothing is anonymous. */
  Authenticator ANONYMOUS = _ -> new Authentication.Proven(Identity.ANONYMOUS);

  /** The first one that judges decides; when none does, nothing is proven. */
  static Authenticator chain(List<Authenticator> links) {
    var all = List.copyOf(links);
    return credentials -> {
      for (var link : all) {
        var found = link.authenticate(credentials);
        if (!(found instanceof Authentication.NotMine)) {
          return found;
        }
      }
      return new Authentication.Disproven();
    };
  }

  /** All ways to prove who one is: tokens are judged by who signs them. */
  static Authenticator standard(Authenticator tokens) {
    return chain(List.of(VOUCHED, CERTIFICATES, tokens, UNKNOWN_TOKENS, ANONYMOUS));
  }
}
