package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a schema demands of values beside their type.
 *
 * @param pattern compiled from {@code expression}; null when there is none or it is not valid
 */
public record ValueLimits(
    Range range,
    Length length,
    Length items,
    Length properties,
    boolean uniqueItems,
    String expression,
    @Nullable Pattern pattern,
    List<JsonNode> allowed,
    List<String> required) {

  /** Limits of numbers. */
  public record Range(
      @Nullable Double minimum,
      boolean aboveMinimum,
      @Nullable Double maximum,
      boolean belowMaximum,
      @Nullable Double multipleOf) {}

  /** Limits of a count. */
  public record Length(@Nullable Long least, @Nullable Long most) {}

  public ValueLimits {
    allowed = List.copyOf(allowed);
    required = List.copyOf(required);
  }

  static ValueLimits of(JsonNode json) {
    var allowed = new ArrayList<JsonNode>();
    json.path("enum").forEach(allowed::add);
    var expression = Trees.text(json, "pattern");
    return new ValueLimits(
        new Range(
            decimal(json, "minimum"),
            Trees.isTrue(json, "exclusiveMinimum"),
            decimal(json, "maximum"),
            Trees.isTrue(json, "exclusiveMaximum"),
            decimal(json, "multipleOf")),
        length(json, "minLength", "maxLength"),
        length(json, "minItems", "maxItems"),
        length(json, "minProperties", "maxProperties"),
        Trees.isTrue(json, "uniqueItems"),
        expression,
        compiled(expression),
        allowed,
        Trees.texts(json, "required"));
  }

  private static @Nullable Pattern compiled(String expression) {
    try {
      return expression.isEmpty() ? null : Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      return null; // a definition with such a pattern is refused
    }
  }

  private static Length length(JsonNode json, String least, String most) {
    return new Length(whole(json, least), whole(json, most));
  }

  private static @Nullable Double decimal(JsonNode json, String field) {
    return json.path(field).isNumber() ? (Double) json.path(field).doubleValue() : null;
  }

  private static @Nullable Long whole(JsonNode json, String field) {
    return json.path(field).isNumber() ? (Long) json.path(field).longValue() : null;
  }
}
