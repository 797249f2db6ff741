package dev.regroup.server.token;

import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Authentication;
import dev.regroup.server.access.Authenticator;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.token.TokenClaims.Ref;
import dev.regroup.store.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Believes tokens that this server has signed, as long as they last and as long as the account and
 * the object they are bound to are the same ones and are not overdue to be gone. The signature of a
 * token is checked once; the rest is looked at again with every request. Any thread.
 */
public final class BoundTokens implements Authenticator {
  /** Signatures remembered: more than that many clients begin again. */
  private static final int REMEMBERED = 20_000;

  /** So long after its deletion should be over, an object that is still there counts. */
  private static final Duration OVERDUE = Duration.ofSeconds(60);

  private static final byte[] DELETION =
      "\"deletionTimestamp\"".getBytes(StandardCharsets.US_ASCII);

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
    private volatile Life account = Life.NONE;
    private volatile Life bound = Life.NONE;

    private Known(TokenKeys keys, TokenClaims claims) {
      this.keys = keys;
      this.claims = claims;
      this.identity = claims.identity();
    }
  }

  /**
   * What is known of an object.
   *
   * @param made when the right one was made; 0 when it is gone
   * @param revision at which it was looked at
   * @param end from when on it counts no more
   */
  private record Life(long made, long revision, Instant end) {
    private static final Life NONE = new Life(0, 0, Instant.MIN);

    private boolean lastsAt(Instant now) {
      return !now.isAfter(end);
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
    var now = clock.instant();
    if (!claims.lastsAt(now)) {
      return false;
    }
    var accounts = kinds.core("serviceaccounts");
    token.account = life(accounts, claims.namespace(), claims.account(), token.account);
    if (!token.account.lastsAt(now)) {
      return false;
    }
    var bound = claims.bound();
    if (bound != null) {
      var type = kinds.core(bound.kind().plural());
      token.bound = life(type, claims.namespace(), bound.ref(), token.bound);
      return token.bound.lastsAt(now);
    }
    return true;
  }

  /** Reads the object only when it is another one than before, or is being deleted. */
  private Life life(ResourceType type, String namespace, Ref ref, Life before) {
    var found = objects.find(type, namespace, ref.name());
    if (found.isEmpty()) {
      return Life.NONE;
    }
    var entry = found.get();
    if (entry.revision() == before.revision) {
      return before;
    }
    if (entry.createdRevision() == before.made && !isDeleted(entry)) {
      return new Life(before.made, entry.revision(), Instant.MAX);
    }
    var object = ObjectStore.tree(entry.value());
    if (!Meta.uid(object).equals(ref.uid())) {
      return Life.NONE;
    }
    var deletion = Trees.time(object, "metadata", "deletionTimestamp");
    var end = deletion == null ? Instant.MAX : deletion.plus(OVERDUE);
    return new Life(entry.createdRevision(), entry.revision(), end);
  }

  /** Whether it may be; the word can stand elsewhere, too. */
  private static boolean isDeleted(Entry entry) {
    byte[] bytes = entry.value();
    for (int at = 0; at <= bytes.length - DELETION.length; at++) {
      if (bytes[at + 1] == DELETION[1]
          && Arrays.equals(bytes, at, at + DELETION.length, DELETION, 0, DELETION.length)) {
        return true;
      }
    }
    return false;
  }
}
