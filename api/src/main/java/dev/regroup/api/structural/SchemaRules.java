package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.cel.CelBudget;
import dev.regroup.api.cel.CelEnvironment;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelShape;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a schema, compiled, each at its place. Compiling costs much more than evaluating:
 * keep it. Immutable; any thread.
 */
public final class SchemaRules {

  /** What all rules of one object may cost together. */
  private static final long MOST_STEPS = 10_000_000;

  private final Structural schema;
  private final boolean object;
  private final List<CompiledRule> rules;
  private final Map<String, SchemaRules> properties = new LinkedHashMap<>();
  private final @Nullable SchemaRules others;
  private final @Nullable SchemaRules items;

  private SchemaRules(Structural schema, String name, boolean object) {
    this.schema = schema;
    this.object = object;
    this.rules =
        schema.rules().isEmpty()
            ? List.of()
            : StructuralShapes.of(schema, name, object)
                .map(shape -> compiled(schema, shape))
                .orElse(List.of());
    schema
        .properties()
        .forEach((key, below) -> {
          if (below.hasRules()) {
            properties.put(key, below(below, name + "." + key));
          }
        });
    var values = schema.below().others() == null ? null : schema.below().others().schema();
    this.others = values == null || !values.hasRules() ? null : below(values, name + ".values");
    this.items =
        schema.items() == null || !schema.items().hasRules()
            ? null
            : below(schema.items(), name + ".items");
  }

  private static List<CompiledRule> compiled(Structural schema, CelShape shape) {
    var environments = new EnumMap<CompiledRule.Past, CelEnvironment>(CompiledRule.Past.class);
    return schema.rules().stream()
        .map(rule ->
            CompiledRule.of(
                rule,
                schema,
                past -> environments.computeIfAbsent(past, one -> one.environment(shape))))
        .toList();
  }

  private static SchemaRules below(Structural schema, String name) {
    return new SchemaRules(schema, name, schema.extensions().embedded());
  }

  /** The rules of whole objects. */
  public static SchemaRules ofObject(Structural schema) {
    return new SchemaRules(schema, "self", true);
  }

  /** The rules of a value, such as a default. */
  public static SchemaRules ofValue(Structural schema) {
    return below(schema, "self");
  }

  /** Those at this very place. */
  public List<CompiledRule> here() {
    return rules;
  }

  /** Those of the places below it that have some, by the name of the field. */
  public Map<String, SchemaRules> properties() {
    return Map.copyOf(properties);
  }

  public @Nullable SchemaRules others() {
    return others;
  }

  public @Nullable SchemaRules items() {
    return items;
  }

  /**
   * Evaluates all of them.
   *
   * @param old what was there before; null when nothing was
   */
  public List<FieldError> check(FieldPath path, JsonNode value, @Nullable JsonNode old) {
    // Steps are what is counted: how long they take is the machine's business.
    var run = new RuleRun(CelBudget.of(MOST_STEPS, Duration.ofDays(1), () -> 0));
    var counterpart = old == null ? null : new Counterpart(value, old, schema);
    check(path, value, old, new RuleRun.Ratchet(counterpart, null), run);
    return run.errors();
  }

  private void check(
      FieldPath path,
      JsonNode value,
      @Nullable JsonNode old,
      RuleRun.Ratchet ratchet,
      RuleRun run) {
    if (value.isNull() || value.isMissingNode() || run.isOver()) {
      return;
    }
    for (CompiledRule rule : rules) {
      run.evaluate(rule, schema, path, value, old, ratchet);
    }
    if (value instanceof ObjectNode object) {
      boolean known = !schema.extensions().mapType().equals("atomic");
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        var key = field.getKey();
        boolean own = properties.containsKey(key);
        var below =
            own ? properties.get(key) : schema.properties().containsKey(key) ? null : others;
        if (below != null) {
          var before = known && old instanceof ObjectNode there ? there.get(key) : null;
          below.check(
              own ? path.field(key) : path.key(key),
              field.getValue(),
              before,
              ratchet.key(key),
              run);
        }
      }
    } else if (value.isArray() && items != null) {
      for (int i = 0; i < value.size(); i++) {
        var before = old == null ? null : new Counterpart(value, old, schema).item(i);
        items.check(
            path.index(i),
            value.path(i),
            before == null ? null : before.before(),
            ratchet.item(i),
            run);
      }
    }
  }

  /** The most that the rule of this place costs when it is evaluated once. */
  public long mostCost(CelExpression expression) {
    return expression.mostCost(new StructuralSizes(schema, object));
  }

  /** How often this place can be in one object at most, when no limit of a list says so. */
  public long mostOccurrences() {
    return StructuralSizes.cardinality(schema, object);
  }

  /** How many values can be below each value here; nothing where there is no limit. */
  public OptionalLong mostBelow() {
    var limits = schema.limits();
    var most =
        switch (schema.type()) {
          case "array" -> limits.items().most();
          case "object" -> schema.below().others() == null ? (Long) 1L : limits.properties().most();
          default -> (Long) 1L;
        };
    return most == null ? OptionalLong.empty() : OptionalLong.of(Math.max(0, most));
  }

  /** Whether items, or fields, can be told from those before the change. */
  public boolean tellsApart() {
    return schema.type().equals("array")
        ? schema.extensions().listType().equals("map")
        : !schema.extensions().mapType().equals("atomic");
  }
}
