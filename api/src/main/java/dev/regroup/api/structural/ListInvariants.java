package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Items of sets differ, items of keyed lists differ in their keys. */
public final class ListInvariants {

  private ListInvariants() {}

  /** Every second of two that should differ, from a place on downwards. */
  public static List<FieldError> check(FieldPath path, JsonNode value, Structural schema) {
    var errors = new ArrayList<FieldError>();
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        var key = field.getKey();
        var own = schema.properties().get(key);
        var at = own == null ? path.key(key) : path.field(key);
        schema.at(key).ifPresent(below -> errors.addAll(check(at, field.getValue(), below)));
      }
    } else if (value.isArray()) {
      switch (schema.extensions().listType()) {
        case "set" -> errors.addAll(twice(path, items(value)));
        case "map" -> errors.addAll(keyed(path, value, schema.extensions().listKeys()));
        default -> {}
      }
      var items = schema.items();
      for (int i = 0; items != null && i < value.size(); i++) {
        errors.addAll(check(path.index(i), value.path(i), items));
      }
    }
    return errors;
  }

  private static List<FieldError> keyed(FieldPath path, JsonNode list, List<String> keys) {
    var found = new ArrayList<JsonNode>();
    for (int i = 0; i < list.size(); i++) {
      var item = list.path(i);
      if (!item.isObject() && !item.isNull()) {
        return List.of(
            FieldError.invalid(
                path.index(i), item, "must be an object for an array of list-type map"));
      }
      ObjectNode key = JsonNodeFactory.instance.objectNode();
      keys.stream().filter(item::has).forEach(name -> key.set(name, item.path(name)));
      found.add(key);
    }
    return twice(path, found);
  }

  /** The second of several equal ones is told of, the third is not. */
  private static List<FieldError> twice(FieldPath path, List<JsonNode> values) {
    var seen = new HashMap<JsonNode, Integer>();
    var errors = new ArrayList<FieldError>();
    for (int i = 0; i < values.size(); i++) {
      if (seen.merge(values.get(i), 1, Integer::sum) == 2) {
        errors.add(FieldError.duplicate(path.index(i), values.get(i)));
      }
    }
    return errors;
  }

  private static List<JsonNode> items(JsonNode list) {
    var items = new ArrayList<JsonNode>();
    list.forEach(items::add);
    return items;
  }
}
