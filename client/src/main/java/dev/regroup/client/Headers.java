package dev.regroup.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Header fields by lower-case name, each with all its values in order. Immutable. */
public record Headers(Map<String, List<String>> fields) {

  public static final Headers NONE = new Headers(Map.of());

  public Headers {
    var copy = new TreeMap<String, List<String>>();
    fields.forEach((name, values) ->
        copy.computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>()).addAll(values));
    copy.replaceAll((_, values) -> List.copyOf(values));
    fields = java.util.Collections.unmodifiableMap(copy);
  }

  public static Headers of(String name, String value) {
    return new Headers(Map.of(name, List.of(value)));
  }

  /** Returns these headers with one more value. */
  public Headers and(String name, String value) {
    var more = new TreeMap<String, List<String>>(fields);
    var values = new ArrayList<>(all(name));
    values.add(value);
    more.put(name.toLowerCase(Locale.ROOT), values);
    return new Headers(more);
  }

  public Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  public List<String> all(String name) {
    return fields.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
  }
}
