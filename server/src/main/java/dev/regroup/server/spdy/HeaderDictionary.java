package dev.regroup.server.spdy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What both sides of SPDY/3 believe to have been said already when they compress headers: names and
 * values with their lengths in front, then a run of text.
 */
final class HeaderDictionary {

  private static final List<String> WORDS =
      List.of(
          "options",
          "head",
          "post",
          "put",
          "delete",
          "trace",
          "accept",
          "accept-charset",
          "accept-encoding",
          "accept-language",
          "accept-ranges",
          "age",
          "allow",
          "authorization",
          "cache-control",
          "connection",
          "content-base",
          "content-encoding",
          "content-language",
          "content-length",
          "content-location",
          "content-md5",
          "content-range",
          "content-type",
          "date",
          "etag",
          "expect",
          "expires",
          "from",
          "host",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "last-modified",
          "location",
          "max-forwards",
          "pragma",
          "proxy-authenticate",
          "proxy-authorization",
          "range",
          "referer",
          "retry-after",
          "server",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent",
          "vary",
          "via",
          "warning",
          "www-authenticate",
          "method",
          "get",
          "status",
          "200 OK",
          "version",
          "HTTP/1.1",
          "url",
          "public",
          "set-cookie",
          "keep-alive",
          "origin");

  private static final String TEXT =
      "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
          + "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request"
          + "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error"
          + "501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct"
          + " Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,"
          + "image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
          + "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

  private static final int SIZE = 1423;

  private HeaderDictionary() {}

  static byte[] bytes() {
    var all = ByteBuffer.allocate(SIZE);
    for (String word : WORDS) {
      byte[] ascii = word.getBytes(StandardCharsets.US_ASCII);
      all.putInt(ascii.length).put(ascii);
    }
    return all.put(TEXT.getBytes(StandardCharsets.US_ASCII)).array();
  }
}
