package dev.regroup.client;

import java.util.Objects;

/**
 * One request as it goes over the wire.
 *
 * @param method upper case: GET, POST, PUT, PATCH, DELETE
 * @param path percent-encoded, begins with a slash, without the query
 * @param query percent-encoded, without the question mark; empty when there is none
 */
public record Request(String method, String path, String query, Headers headers, byte[] body) {

  private static final byte[] NO_BODY = {};

  public Request {
    Objects.requireNonNull(method, "method");
    Objects.requireNonNull(query, "query");
    Objects.requireNonNull(headers, "headers");
    Objects.requireNonNull(body, "body");
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("path: must begin with a slash, got \"" + path + "\"");
    }
  }

  public static Request get(String path, String query) {
    return new Request("GET", path, query, Headers.NONE, NO_BODY);
  }

  public static Request of(String method, String path, String contentType, byte[] body) {
    return new Request(method, path, "", Headers.of("content-type", contentType), body);
  }

  public Request withQuery(String newQuery) {
    return new Request(method, path, newQuery, headers, body);
  }

  public Request withHeader(String name, String value) {
    return new Request(method, path, query, headers.and(name, value), body);
  }
}
