package dev.regroup.cli.ui;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Who may come in. The link carries a token behind its {@code #}, which browsers keep to
 * themselves; the page gives it to {@link #login} and gets a cookie that scripts cannot read. In
 * this order a request must
 *
 * <ol>
 *   <li>name this listener as its host, so that no other name leads here (DNS rebinding),
 *   <li>only read, or be a POST with a header that no form of another site can send,
 *   <li>come from this page or from nowhere, if the browser says where it comes from,
 *   <li>show the cookie, unless it is for what everybody may have: files of the program, the login.
 * </ol>
 *
 * <p>Safe for any thread.
 */
final class PageDoor {

  /** The header of requests that change something; only scripts of the page can send it. */
  static final String OWN_HEADER = "x-regroup-page";

  private static final int SECRET = 32; // bytes
  private static final int MOST_VISITORS = 64;
  private static final Set<String> READING = Set.of("GET", "HEAD");

  /** What is said to a request. */
  sealed interface Verdict {

    /** It may go on. */
    record Welcome() implements Verdict {}

    /** Whoever asks has to log in first. */
    record Unknown() implements Verdict {}

    record Refused(int code, String why) implements Verdict {}
  }

  private final RandomGenerator random;
  private final String token;
  private final Set<String> visitors = new HashSet<>(); // guarded by this
  private final Deque<String> oldestFirst = new ArrayDeque<>(); // guarded by this
  private volatile int port = -1; // nobody is let in before it is known

  /** A door with a new token; {@code random} must be one that nobody can guess. */
  PageDoor(RandomGenerator random) {
    this.random = random;
    this.token = secret();
  }

  String token() {
    return token;
  }

  void openedAt(int listening) {
    this.port = listening;
  }

  /** What the head of a request decides. */
  Verdict judge(Request head) {
    var hosts = head.headers().all("host");
    if (hosts.size() != 1 || !isOurs(hosts.getFirst())) {
      return new Verdict.Refused(
          403, "this page answers to 127.0.0.1 and localhost only (open the link as printed)");
    }
    if (!READING.contains(head.method())) {
      if (!head.method().equals("POST")) {
        return new Verdict.Refused(405, "only GET and POST are understood");
      }
      if (head.headers().first(OWN_HEADER).isEmpty()) {
        return new Verdict.Refused(403, "a POST needs the header " + OWN_HEADER);
      }
    }
    boolean elsewhere =
        head.headers().all("origin").stream()
                .anyMatch(origin -> !origin.equals("http://" + hosts.getFirst()))
            || (head.path().startsWith(PageFiles.API)
                && head.headers().all("sec-fetch-site").stream()
                    .anyMatch(site -> !List.of("same-origin", "none").contains(site)));
    if (elsewhere) {
      return new Verdict.Refused(403, "another page asked for this");
    }
    boolean free = PageFiles.isForEverybody(head.path()) || head.path().equals(PageFiles.LOGIN);
    return free || isKnown(head.headers()) ? new Verdict.Welcome() : new Verdict.Unknown();
  }

  /** The cookie for whoever shows the token. */
  Optional<String> login(String shown) {
    if (!same(token, shown)) {
      return Optional.empty();
    }
    String visitor = secret();
    synchronized (this) {
      visitors.add(visitor);
      oldestFirst.addLast(visitor);
      if (oldestFirst.size() > MOST_VISITORS) {
        visitors.remove(oldestFirst.removeFirst());
      }
    }
    return Optional.of(
        "%s=%s; Path=%s; HttpOnly; SameSite=Strict".formatted(cookie(), visitor, PageFiles.PAGE));
  }

  /** Browsers give cookies to every port of a host: two pages must not take them for theirs. */
  private String cookie() {
    return "regroup-page-" + port;
  }

  private boolean isOurs(String host) {
    return port > 0 && (host.equals("127.0.0.1:" + port) || host.equals("localhost:" + port));
  }

  private boolean isKnown(Headers headers) {
    String start = cookie() + "=";
    for (String line : headers.all("cookie")) {
      for (String pair : line.split(";", -1)) {
        String one = pair.strip();
        if (one.startsWith(start) && isVisitor(one.substring(start.length()))) {
          return true;
        }
      }
    }
    return false;
  }

  private synchronized boolean isVisitor(String shown) {
    return visitors.contains(shown); // 256 bits of chance: nobody gets nearer by the time it takes
  }

  private static boolean same(String secret, String shown) {
    return MessageDigest.isEqual(secret.getBytes(UTF_8), shown.getBytes(UTF_8));
  }

  private String secret() {
    byte[] bytes = new byte[SECRET];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
