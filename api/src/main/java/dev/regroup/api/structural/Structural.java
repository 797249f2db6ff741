package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One place of a structural schema, read once from the {@code openAPIV3Schema} of a definition:
 * what type is there, what is below it, and what values must fulfil. The clauses of {@code allOf}
 * and its siblings are of the same class; a schema is only structural when they say nothing about
 * types. Immutable.
 *
 * @param type empty where any type is possible
 * @param fallback what is filled in when the field is absent
 */
public record Structural(
    String type,
    String format,
    boolean nullable,
    @Nullable JsonNode fallback,
    Below below,
    Extensions extensions,
    ValueLimits limits,
    Clauses clauses,
    List<ValidationRule> rules) {

  /** What is inside of an object or a list. */
  public record Below(
      Map<String, Structural> properties, @Nullable Others others, @Nullable Structural items) {
    public Below {
      properties = Collections.unmodifiableMap(properties);
    }
  }

  /**
   * {@code additionalProperties}: what keys may have that are not named.
   *
   * @param schema null when nothing is said about their values
   */
  public record Others(boolean allowed, @Nullable Structural schema) {}

  /** What Kubernetes adds to OpenAPI. Texts are empty when not given. */
  public record Extensions(
      boolean preserving,
      boolean embedded,
      boolean intOrString,
      String listType,
      List<String> listKeys,
      String mapType) {
    public Extensions {
      listKeys = List.copyOf(listKeys);
    }
  }

  /** Logical combinations of further schemas. */
  public record Clauses(
      List<Structural> allOf,
      List<Structural> anyOf,
      List<Structural> oneOf,
      @Nullable Structural not) {
    public Clauses {
      allOf = List.copyOf(allOf);
      anyOf = List.copyOf(anyOf);
      oneOf = List.copyOf(oneOf);
    }
  }

  public Structural {
    rules = List.copyOf(rules);
  }

  /** Reads a schema whose form has been checked; what it does not say is absent. */
  public static Structural of(JsonNode json) {
    var fallback = json.get("default");
    return new Structural(
        Trees.text(json, "type"),
        Trees.text(json, "format"),
        Trees.isTrue(json, "nullable"),
        fallback,
        below(json),
        extensions(json),
        ValueLimits.of(json),
        new Clauses(
            list(json.path("allOf")),
            list(json.path("anyOf")),
            list(json.path("oneOf")),
            json.has("not") ? of(json.path("not")) : null),
        rules(json.path("x-kubernetes-validations")));
  }

  private static Below below(JsonNode json) {
    var properties = new LinkedHashMap<String, Structural>();
    json.path("properties")
        .properties()
        .forEach(one -> properties.put(one.getKey(), of(one.getValue())));
    var others = json.path("additionalProperties");
    var items = json.path("items");
    return new Below(
        properties,
        others.isMissingNode()
            ? null
            : new Others(
                !others.isBoolean() || others.booleanValue(),
                others.isObject() ? of(others) : null),
        items.isObject() ? of(items) : null);
  }

  private static Extensions extensions(JsonNode json) {
    return new Extensions(
        Trees.isTrue(json, "x-kubernetes-preserve-unknown-fields"),
        Trees.isTrue(json, "x-kubernetes-embedded-resource"),
        Trees.isTrue(json, "x-kubernetes-int-or-string"),
        Trees.text(json, "x-kubernetes-list-type"),
        Trees.texts(json, "x-kubernetes-list-map-keys"),
        Trees.text(json, "x-kubernetes-map-type"));
  }

  private static List<Structural> list(JsonNode clauses) {
    var all = new ArrayList<Structural>();
    clauses.forEach(clause -> all.add(of(clause)));
    return all;
  }

  private static List<ValidationRule> rules(JsonNode rules) {
    var all = new ArrayList<ValidationRule>();
    rules.forEach(rule -> all.add(ValidationRule.of(rule)));
    return all;
  }

  public Map<String, Structural> properties() {
    return below.properties();
  }

  public @Nullable Structural items() {
    return below.items();
  }

  /** The schema of a key: its own, or that of keys that are not named. */
  public Optional<Structural> at(String key) {
    var own = below.properties().get(key);
    if (own != null) {
      return Optional.of(own);
    }
    var others = below.others();
    return others == null ? Optional.empty() : Optional.ofNullable(others.schema());
  }

  /** Types a value may have; none means any. */
  List<String> types() {
    if (extensions.intOrString()) {
      return List.of("integer", "string");
    }
    return type.isEmpty() ? List.of() : List.of(type);
  }

  /** The same as the root of an object: its type and metadata are implied. */
  public Structural asEmbedded() {
    var x = extensions;
    return new Structural(
        type,
        format,
        nullable,
        fallback,
        below,
        new Extensions(
            x.preserving(), true, x.intOrString(), x.listType(), x.listKeys(), x.mapType()),
        limits,
        clauses,
        rules);
  }

  /** Whether it or anything below it has rules to evaluate. */
  public boolean hasRules() {
    if (!rules.isEmpty()) {
      return true;
    }
    var others = below.others();
    var items = below.items();
    return properties().values().stream().anyMatch(Structural::hasRules)
        || (others != null && others.schema() != null && others.schema().hasRules())
        || (items != null && items.hasRules());
  }
}
