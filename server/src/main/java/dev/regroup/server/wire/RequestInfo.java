package dev.regroup.server.wire;

import dev.regroup.client.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A request's path taken apart, as Kubernetes' authorization sees it. A path below {@code
 * /api/<version>/} or {@code /apis/<group>/<version>/} names a resource, whether it exists or not;
 * any other path is only a path.
 *
 * @param path decoded, for paths that name no resource
 * @param namespace empty outside of namespaces
 * @param name empty for whole collections
 * @param subresource empty for the object itself
 * @param rest what follows the subresource; no resource of ours has such paths
 */
public record RequestInfo(
    Verb verb,
    boolean isResource,
    String path,
    String group,
    String version,
    String namespace,
    String resource,
    String name,
    String subresource,
    List<String> rest,
    RequestQuery query) {

  private static final String NAMESPACES = "namespaces";

  public RequestInfo {
    rest = List.copyOf(rest);
  }

  public static RequestInfo of(Request request) throws Refused {
    var query = RequestQuery.parse(request.query());
    var segments = segments(request.path());
    int skip = segments.isEmpty() ? 0 : prefixLength(segments.getFirst());
    if (skip == 0 || segments.size() <= skip) {
      return plainPath(request, query);
    }
    var group = skip == 3 ? segments.get(1) : "";
    var version = segments.get(skip - 1);
    var parts = new ArrayList<>(segments.subList(skip, segments.size()));
    boolean legacyWatch = parts.size() > 1 && parts.getFirst().equals("watch");
    if (legacyWatch) {
      parts.removeFirst();
    }
    var namespace = "";
    if (parts.getFirst().equals(NAMESPACES) && parts.size() > 1) {
      namespace = parts.get(1);
      boolean ofNamespaceItself =
          parts.size() == 2
              || (parts.size() == 3 && List.of("status", "finalize").contains(parts.get(2)));
      if (!ofNamespaceItself) {
        parts.subList(0, 2).clear();
      }
    }
    var name = parts.size() > 1 ? parts.get(1) : "";
    var subresource = parts.size() > 2 ? parts.get(2) : "";
    var rest = parts.size() > 3 ? parts.subList(3, parts.size()) : List.<String>of();
    var verb = legacyWatch ? Verb.WATCH : verb(request.method(), name, query);
    return new RequestInfo(
        verb,
        true,
        request.path(),
        group,
        version,
        namespace,
        parts.getFirst(),
        name,
        subresource,
        rest,
        query);
  }

  /** The same with another verb. */
  public RequestInfo with(Verb other) {
    return new RequestInfo(
        other,
        isResource,
        path,
        group,
        version,
        namespace,
        resource,
        name,
        subresource,
        rest,
        query);
  }

  private static RequestInfo plainPath(Request request, RequestQuery query) {
    var verb = verb(request.method(), "x", query);
    return new RequestInfo(
        verb, false, decode(request.path()), "", "", "", "", "", "", List.of(), query);
  }

  /** Segments before the resource: {@code api/v1} has two, {@code apis/batch/v1} three. */
  private static int prefixLength(String first) {
    return switch (first) {
      case "api" -> 2;
      case "apis" -> 3;
      default -> 0;
    };
  }

  private static Verb verb(String method, String name, RequestQuery query) {
    return switch (method) {
      case "GET", "HEAD" -> {
        if (!name.isEmpty()) {
          yield Verb.GET;
        }
        yield query.flag("watch") ? Verb.WATCH : Verb.LIST;
      }
      case "POST" -> Verb.CREATE;
      case "PUT" -> Verb.UPDATE;
      case "PATCH" -> Verb.PATCH;
      case "DELETE" -> name.isEmpty() ? Verb.DELETECOLLECTION : Verb.DELETE;
      default -> Verb.OTHER;
    };
  }

  /** Decoded before it is split; only slashes at both ends are nothing. */
  private static List<String> segments(String path) {
    var text = decode(path);
    int begin = 0;
    int end = text.length();
    while (begin < end && text.charAt(begin) == '/') {
      begin++;
    }
    while (end > begin && text.charAt(end - 1) == '/') {
      end--;
    }
    return begin == end ? List.of() : List.of(text.substring(begin, end).split("/", -1));
  }

  private static String decode(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text.toLowerCase(Locale.ROOT); // no name of anything: leads to "not found"
    }
  }
}
