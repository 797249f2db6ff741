package dev.regroup.server.token;

import dev.regroup.server.access.Authentication;
import dev.regroup.server.access.Authenticator;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.token.TokenClaims.Ref;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Believes tokens that this server has signed, as long as they last and as long as the account and
 * the object they are bound to are the same ones. The signature of a token is checked once; the
 * rest is looked at again with every request. Any thread.
 */
public final class BoundTokens implements Authenticator {
  /** Signatures remembered: more than that many clients begin again. */
  private static final int REMEMBERED = 20_000;

  private final Supplier<TokenKeys> keys;
  private final ObjectStore objects;
  private final KindSet kinds;
  private final InstantSource clock;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  /**
   * A token and for whom it was made.
   *
   * @param audiences those of the token that were asked for
   */
  public record Verified(Identity identity, List<String> audiences) {}

  public BoundTokens(
      Supplier<TokenKeys> keys, ObjectStore objects, KindSet kinds, InstantSource clock) {
    this.keys = keys;
    this.objects = objects;
    this.kinds = kinds;
    this.clock = clock;
  }

  /** What stands in a good token, and the lives of the objects it needs. */
  private static final class Known {
    private final TokenKeys keys; // that believed it
    private final TokenClaims claims;
    private final Identity identity;
    private volatile long account; // when it was made that was found to be the right one
    private volatile long bound;

    private Known(TokenKeys keys, TokenClaims claims) {
      this.keys = keys;
      this.claims = claims;
      this.identity = claims.identity();
    }
  }

  @Override
  public Authentication authenticate(Credentials credentials) {
    if (credentials.bearerToken().isEmpty()) {
      return new Authentication.NotMine();
    }
    return verify(credentials.bearerToken().get(), List.of())
        .<Authentication>map(found -> new Authentication.Proven(found.identity()))
        .orElseGet(Authentication.Disproven::new);
  }

  /**
   * Whose the token is, when it counts.
   *
   * @param audiences for one of which it must be made; none means this server
   */
  public Optional<Verified> verify(String token, List<String> audiences) {
    var current = keys.get();
    var found = known.get(token);
    if (found == null || !found.keys.equals(current)) {
      var claims = TokenClaims.read(token, current);
      if (claims.isEmpty()) {
        return Optional.empty();
      }
      found = new Known(current, claims.get());
      if (known.size() >= REMEMBERED) {
        known.clear();
      }
      known.put(token, found);
    }
    var wanted = audiences.isEmpty() ? List.of(TokenClaims.ISSUER) : audiences;
    var shared = wanted.stream().filter(found.claims.audiences()::contains).toList();
    return shared.isEmpty() || !counts(found)
        ? Optional.empty()
        : Optional.of(new Verified(found.identity, shared));
  }

  private boolean counts(Known token) {
    var claims = token.claims;
    if (!claims.lastsAt(clock.instant())) {
      return false;
    }
    long account =
        madeAt(kinds.core("serviceaccounts"), claims.namespace(), claims.account(), token.account);
    if (account == 0) {
      return false;
    }
    token.account = account;
    var bound = claims.bound();
    if (bound != null) {
      var type = kinds.core(bound.kind().plural());
      long found = madeAt(type, claims.namespace(), bound.ref(), token.bound);
      token.bound = found;
      return found != 0;
    }
    return true;
  }

  /** When the object was made, if it is the right one; 0 when it is gone. */
  private long madeAt(ResourceType type, String namespace, Ref ref, long before) {
    var entry = objects.find(type, namespace, ref.name());
    if (entry.isEmpty()) {
      return 0;
    }
    long made = entry.get().createdRevision();
    boolean same =
        made == before || Meta.uid(ObjectStore.tree(entry.get().value())).equals(ref.uid());
    return same ? made : 0;
  }
}
