package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code url}: absolute addresses and absolute paths taken apart. */
final class UrlFunctions {
  private static final CelType URL = OpaqueType.create("kubernetes.URL");

  private UrlFunctions() {}

  static FunctionTable table() {
    var table =
        new FunctionTable()
            .type(URL, URI.class)
            .global(
                "url",
                "string_to_url",
                URL,
                List.of(STRING),
                args ->
                    FunctionTable.orFail(
                        parse((String) args[0]),
                        "URL parse error during conversion from string: parse \""
                            + args[0]
                            + "\": invalid URI for request"))
            .global(
                "isURL",
                "is_url_string",
                BOOL,
                List.of(STRING),
                args -> parse((String) args[0]).isPresent())
            .member(
                "getQuery",
                "url_get_query",
                MapType.create(STRING, ListType.create(STRING)),
                List.of(URL),
                args -> query((URI) args[0]));
    part(table, "getScheme", url -> text(url.getScheme()));
    part(table, "getHost", url -> host(url));
    part(table, "getHostname", url -> text(url.getHost()).replaceAll("[\\[\\]]", ""));
    part(table, "getPort", url -> url.getPort() < 0 ? "" : Integer.toString(url.getPort()));
    part(table, "getEscapedPath", url -> text(url.getRawPath()));
    return table;
  }

  @SuppressWarnings("Immutable") // a method reference
  private static void part(FunctionTable table, String name, Function<URI, String> part) {
    table.member(name, "url_" + name, STRING, List.of(URL), args -> part.apply((URI) args[0]));
  }

  private static String text(@Nullable String part) {
    return part == null ? "" : part;
  }

  private static String host(URI url) {
    String host = text(url.getHost());
    return url.getPort() < 0 ? host : host + ":" + url.getPort();
  }

  private static Optional<URI> parse(String text) {
    try {
      var url = new URI(text);
      boolean absolute = url.isAbsolute() && !url.isOpaque();
      return absolute || text.startsWith("/") ? Optional.of(url) : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static Map<String, List<String>> query(URI url) {
    var query = new LinkedHashMap<String, List<String>>();
    if (url.getRawQuery() == null) {
      return query;
    }
    for (String pair : url.getRawQuery().split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String key = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      query.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }
    return query;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
