package dev.regroup.server.wire;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The decoded query of a request, with Kubernetes' ideas of booleans and numbers. */
public record RequestQuery(Map<String, List<String>> values) {

  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");

  public static RequestQuery parse(String encoded) throws Refused {
    if (encoded.isEmpty()) {
      return new RequestQuery(Map.of());
    }
    var values = new LinkedHashMap<String, List<String>>();
    for (var pair : encoded.split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int at = pair.indexOf('=');
      var name = decode(at < 0 ? pair : pair.substring(0, at));
      var value = at < 0 ? "" : decode(pair.substring(at + 1));
      values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }
    return new RequestQuery(values);
  }

  public Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  public String text(String name) {
    return first(name).orElse("");
  }

  public List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  /** Present means true, unless it says {@code false} or {@code 0}. */
  public boolean flag(String name) {
    return first(name).map(v -> !v.equalsIgnoreCase("false") && !v.equals("0")).orElse(false);
  }

  public OptionalLong number(String name) throws Refused {
    var given = first(name);
    if (given.isEmpty()) {
      return OptionalLong.empty();
    }
    var text = given.get();
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      var problem = NUMBER.matcher(text).matches() ? "value out of range" : "invalid syntax";
      throw Refused.badRequest("strconv.ParseInt: parsing " + GoText.quote(text) + ": " + problem);
    }
  }

  private static String decode(String text) throws Refused {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Refused.badRequest("invalid URL escape in query " + GoText.quote(text));
    }
  }
}
