package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks values against a schema, with the texts of Kubernetes. The checks of one value, in this
 * order: type, combinations, text, format, number, list, enum, object.
 *
 * <p>Errors name fields from the root of the object; their texts name them from where the check
 * began, which for a status is the status.
 */
public final class SchemaValidation {
  private final FieldPath root;

  private SchemaValidation(FieldPath root) {
    this.root = root;
  }

  /** Checks a new value. */
  public static List<FieldError> check(FieldPath root, JsonNode value, Structural schema) {
    return new SchemaValidation(root).value(value, schema, "", null).errors();
  }

  /** Checks a changed value; what is as it was before is not refused. */
  public static List<FieldError> check(
      FieldPath root, JsonNode value, JsonNode before, Structural schema) {
    var counterpart = before.isMissingNode() ? null : new Counterpart(value, before, schema);
    return new SchemaValidation(root).value(value, schema, "", counterpart).errors();
  }

  static FieldPath at(FieldPath root, String path) {
    var plain = path.startsWith(".") ? path.substring(1) : path;
    return plain.isEmpty() ? root : root.field(plain);
  }

  private SchemaFindings value(
      JsonNode value, Structural schema, String path, @Nullable Counterpart old) {
    var findings = new SchemaFindings();
    if (value.isNull()) {
      type(value, schema, path, findings);
      allowed(value, schema, path, findings);
    } else {
      if (!schema.types().isEmpty() || !format(schema).isEmpty()) {
        type(value, schema, path, findings);
        findings.pass();
      }
      combinations(value, schema, path, findings);
      findings.pass();
      if (value.isTextual()) {
        text(value.textValue(), schema, path, findings);
        findings.pass();
      } else if (value.isNumber()) {
        new NumberLimits(schema, root, path, findings).check(value);
        findings.pass();
      } else if (value.isArray()) {
        list(value, schema, path, old, findings);
        findings.pass();
      }
      allowed(value, schema, path, findings);
      findings.pass();
      if (value.isObject()) {
        object(value, schema, path, old, findings);
        findings.pass();
      }
      findings.pass();
    }
    if (!findings.isEmpty() && old != null && old.isSame()) {
      findings.forgive();
    }
    return findings;
  }

  private static String format(Structural schema) {
    return StringFormats.isKnown(
            schema.extensions().intOrString() ? "object" : schema.type(), schema.format())
        ? schema.format()
        : "";
  }

  private void type(JsonNode value, Structural schema, String path, SchemaFindings findings) {
    var types = schema.types();
    var found = typeOf(value);
    if (value.isNull()) {
      if (!types.isEmpty() && !schema.nullable()) {
        mismatch(path, String.join(",", types), "null", findings);
      } else {
        findings.pass();
      }
      return;
    }
    boolean number = types.contains("number") || types.contains("integer");
    boolean fits =
        types.contains(found)
            || (found.equals("number")
                && types.contains("integer")
                && NumberLimits.isWhole(value.doubleValue()))
            || (found.equals("integer") && types.contains("number"));
    var format = format(schema);
    boolean textual = value.isTextual() || value.isArray();
    if (!format.isEmpty() && !textual && !fits) {
      mismatch(path, format, formatOf(found), findings);
    } else if (!format.isEmpty() && textual && !number) {
      findings.pass(); // the format decides
    } else if (!types.isEmpty() && !fits) {
      mismatch(path, String.join(",", types), found, findings);
    } else {
      findings.pass();
    }
  }

  private void mismatch(String path, String wanted, String found, SchemaFindings findings) {
    var text = "%s in body must be of type %s: \"%s\"".formatted(path, wanted, found);
    findings.add(text, new FieldError(FieldError.Kind.TYPE_INVALID, at(root, path), found, text));
  }

  static String typeOf(JsonNode value) {
    return switch (value.getNodeType()) {
      case ARRAY -> "array";
      case BOOLEAN -> "boolean";
      case NUMBER -> value.isIntegralNumber() && value.canConvertToLong() ? "integer" : "number";
      case OBJECT, POJO -> "object";
      case STRING, BINARY -> "string";
      case MISSING, NULL -> "null";
    };
  }

  private static String formatOf(String type) {
    return switch (type) {
      case "integer" -> "int64";
      case "number" -> "float64";
      default -> "";
    };
  }

  private void combinations(
      JsonNode value, Structural schema, String path, SchemaFindings findings) {
    var clauses = schema.clauses();
    if (!clauses.anyOf().isEmpty()) {
      anyOf(value, clauses.anyOf(), path, findings);
    }
    if (!clauses.oneOf().isEmpty()) {
      oneOf(value, clauses.oneOf(), path, findings);
    }
    int passed = 0;
    for (Structural clause : clauses.allOf()) {
      var result = value(value, clause, path, null);
      passed += result.isEmpty() ? 1 : 0;
      findings.addAll(result);
    }
    if (passed < clauses.allOf().size()) {
      refuse(path, "all the schemas (allOf)" + (passed == 0 ? ". None validated" : ""), findings);
    }
    var not = clauses.not();
    if (not != null && value(value, not, path, null).isEmpty()) {
      findings.addPlain(root, quoted(path) + " must not validate the schema (not)");
    }
    findings.pass();
  }

  private void anyOf(
      JsonNode value, List<Structural> clauses, String path, SchemaFindings findings) {
    SchemaFindings best = null;
    for (Structural clause : clauses) {
      var result = value(value, clause, path, null);
      if (result.isEmpty()) {
        findings.addAll(result);
        return;
      }
      best = better(best, result);
    }
    refuse(path, "at least one schema (anyOf)", findings);
    if (best != null) {
      findings.addAll(best);
    }
  }

  private void oneOf(
      JsonNode value, List<Structural> clauses, String path, SchemaFindings findings) {
    SchemaFindings best = null;
    SchemaFindings first = null;
    int passed = 0;
    for (Structural clause : clauses) {
      var result = value(value, clause, path, null);
      if (result.isEmpty()) {
        passed++;
        first = first == null ? result : first;
      } else {
        best = better(best, result);
      }
    }
    if (passed == 1 && first != null) {
      findings.addAll(first);
      return;
    }
    var found = passed == 0 ? "Found none valid" : "Found " + passed + " valid alternatives";
    refuse(path, "one and only one schema (oneOf). " + found, findings);
    if (passed == 0 && best != null) {
      findings.addAll(best);
    }
  }

  private static SchemaFindings better(@Nullable SchemaFindings one, SchemaFindings other) {
    return one == null || other.passed() > one.passed() ? other : one;
  }

  private void refuse(String path, String what, SchemaFindings findings) {
    findings.addPlain(root, quoted(path) + " must validate " + what);
  }

  private static String quoted(String path) {
    return '"' + path.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private void text(String value, Structural schema, String path, SchemaFindings findings) {
    var limits = schema.limits();
    long length = value.codePointCount(0, value.length());
    Long most = limits.length().most();
    Long least = limits.length().least();
    var pattern = limits.pattern();
    if (most != null && length > most) {
      findings.add(
          path + " in body should be at most " + most + " chars long",
          FieldError.tooLong(at(root, path), most.intValue()));
    } else if (least != null && length < least) {
      invalid(path, value, "should be at least " + least + " chars long", findings);
    } else if (pattern != null && !pattern.matcher(value).find()) {
      invalid(path, value, "should match '" + limits.expression() + "'", findings);
    }
    var format = format(schema);
    if (!format.isEmpty() && !StringFormats.fits(value, format)) {
      var text =
          "%s in body must be of type %s: %s".formatted(path, format, FieldError.quote(value));
      findings.add(text, new FieldError(FieldError.Kind.TYPE_INVALID, at(root, path), value, text));
    }
  }

  private void invalid(String path, Object value, String problem, SchemaFindings findings) {
    var text = path + " in body " + problem;
    findings.add(text, FieldError.invalid(at(root, path), value, text));
  }

  private void allowed(JsonNode value, Structural schema, String path, SchemaFindings findings) {
    var allowed = schema.limits().allowed();
    if (allowed.isEmpty() || allowed.stream().anyMatch(one -> same(one, value))) {
      return;
    }
    var texts = new ArrayList<String>();
    allowed.forEach(one -> texts.add(one.isTextual() ? one.textValue() : one.toString()));
    findings.add(
        path + " in body should be one of " + texts,
        FieldError.notSupported(at(root, path), value.isNull() ? null : value, texts));
  }

  /** Numbers are equal when their values are. */
  private static boolean same(JsonNode a, JsonNode b) {
    return (a.isNumber() && b.isNumber())
        ? a.decimalValue().compareTo(b.decimalValue()) == 0
        : a.equals(b);
  }

  private void list(
      JsonNode list,
      Structural schema,
      String path,
      @Nullable Counterpart old,
      SchemaFindings findings) {
    var items = schema.items();
    if (items != null) {
      for (int i = 0; i < list.size(); i++) {
        var before = old == null ? null : old.item(i);
        findings.addAll(value(list.path(i), items, path + "[" + i + "]", before));
      }
    }
    var limits = schema.limits();
    Long least = limits.items().least();
    if (least != null && list.size() < least) {
      invalid(path, list.size(), "should have at least " + least + " items", findings);
    }
    Long most = limits.items().most();
    if (most != null && list.size() > most) {
      findings.add(
          path + " in body should have at most " + most + " items",
          FieldError.tooMany(at(root, path), list.size(), most.intValue()));
    }
    if (limits.uniqueItems() && !isSet(list)) {
      invalid(path, "", "shouldn't contain duplicates", findings);
    }
    findings.pass();
  }

  private static boolean isSet(JsonNode list) {
    var seen = new HashSet<JsonNode>();
    for (JsonNode item : list) {
      if (!seen.add(item)) {
        return false;
      }
    }
    return true;
  }

  private void object(
      JsonNode object,
      Structural schema,
      String path,
      @Nullable Counterpart old,
      SchemaFindings findings) {
    counts(object, schema, path, findings);
    var others = schema.below().others();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      var key = field.getKey();
      if (others == null || schema.properties().containsKey(key)) {
        continue;
      }
      var below = others.schema();
      if (!others.allowed()) {
        var text = path + "." + key + " in body is a forbidden property";
        findings.add(text, FieldError.invalid(at(root, path), key, text));
      } else if (below != null) {
        findings.addAll(
            value(field.getValue(), below, path + "." + key, old == null ? null : old.key(key)));
      }
    }
    schema
        .properties()
        .forEach((key, below) -> {
          var field = object.get(key);
          if (field != null) {
            boolean typeMeta = path.isEmpty() && (key.equals("kind") || key.equals("apiVersion"));
            var before = old == null || typeMeta ? null : old.key(key);
            findings.addAll(value(field, below, path.isEmpty() ? key : path + "." + key, before));
          }
        });
    for (String key : schema.limits().required()) {
      if (!object.has(key)) {
        var at = path + "." + key;
        findings.add(at + " in body is required", FieldError.required(at(root, at), ""));
      }
    }
  }

  private void counts(JsonNode object, Structural schema, String path, SchemaFindings findings) {
    var limits = schema.limits().properties();
    Long least = limits.least();
    if (least != null && object.size() < least) {
      invalid(path, object.size(), "should have at least " + least + " properties", findings);
    }
    Long most = limits.most();
    if (most != null && object.size() > most) {
      findings.add(
          path + " in body should have at most " + most + " properties",
          FieldError.tooMany(at(root, path), object.size(), most.intValue()));
    }
  }
}
