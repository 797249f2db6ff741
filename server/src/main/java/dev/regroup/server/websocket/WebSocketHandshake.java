package dev.regroup.server.websocket;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What client and server say before they talk in frames. */
public final class WebSocketHandshake {

  private static final String NAME = "websocket";
  private static final String PROTOCOL = "sec-websocket-protocol";
  private static final String VERSION = "13";
  private static final String SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // of the standard

  private WebSocketHandshake() {}

  /** Whether the client asks for it. */
  public static boolean isWanted(Request request) {
    return request.method().equals("GET")
        && words(request.headers(), "connection").anyMatch("upgrade"::equalsIgnoreCase)
        && words(request.headers(), "upgrade").anyMatch(NAME::equalsIgnoreCase);
  }

  /** Those the client can talk in, its favourite first; some send none. */
  public static List<String> offered(Request request) {
    return words(request.headers(), PROTOCOL).toList();
  }

  /** The first of those the client offers that is among these. */
  public static Optional<String> choose(Request request, List<String> known) {
    return offered(request).stream().filter(known::contains).findFirst();
  }

  /** Agrees, in this protocol unless it is empty. */
  public static Answer accept(Request request, String protocol, Answer.Talk talk) throws Refused {
    var headers = request.headers();
    if (!headers.first("sec-websocket-version").orElse("").strip().equals(VERSION)) {
      throw Refused.badRequest(
          "websocket: unsupported version: 13 not found in 'Sec-Websocket-Version' header");
    }
    var key = headers.first("sec-websocket-key").orElse("").strip();
    if (!isKey(key)) {
      throw Refused.badRequest("websocket: 'Sec-WebSocket-Key' must be 16 bytes in base64");
    }
    var answer = Headers.of("sec-websocket-accept", accepted(key));
    return new Answer.Upgraded(
        NAME, protocol.isEmpty() ? answer : answer.and(PROTOCOL, protocol), talk);
  }

  private static boolean isKey(String key) {
    try {
      return Base64.getDecoder().decode(key).length == 16;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  static String accepted(String key) {
    try {
      var digest = MessageDigest.getInstance("SHA-1"); // what the standard says
      return Base64.getEncoder()
          .encodeToString(digest.digest((key + SUFFIX).getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  private static Stream<String> words(Headers headers, String name) {
    return headers.all(name).stream()
        .flatMap(value -> Stream.of(value.split(",", -1)))
        .map(String::strip)
        .filter(word -> !word.isEmpty());
  }
}
