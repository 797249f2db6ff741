package dev.regroup.e2e.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** Paths such as {@code $.a.b[0]['x/y'][*][type=Ready]..name} in a JSON tree. */
final class JsonPath {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\.\\.([\\w-]+)|\\.([\\w-]+)|\\['([^']*)'\\]|\\[(\\d+)\\]|(\\[\\*\\])"
              + "|\\[\\??\\(?@?\\.?([\\w.]+)\\s*==?\\s*['\"]?(.*?)['\"]?\\)?\\]");

  /** A place that can be read, replaced or removed. */
  record Place(JsonNode parent, String name, int index) {

    JsonNode value() {
      return index < 0 ? parent.path(name) : parent.path(index);
    }

    void remove() {
      if (parent instanceof ObjectNode object) {
        object.remove(name);
      } else if (parent instanceof ArrayNode array) {
        array.remove(index);
      }
    }
  }

  private JsonPath() {}

  static List<Place> find(JsonNode root, String path) {
    var holder = JsonNodeFactory.instance.objectNode();
    holder.set("$", root);
    List<Place> places = List.of(new Place(holder, "$", -1));
    var tokens = TOKEN.matcher(path.startsWith("$") ? path.substring(1) : path);
    int end = 0;
    while (end < tokens.regionEnd()) {
      if (!tokens.find() || tokens.start() != end) {
        throw new IllegalArgumentException("bad path " + path);
      }
      end = tokens.end();
      var next = new ArrayList<Place>();
      for (Place place : places) {
        step(place.value(), tokens, next);
      }
      places = next;
    }
    return places;
  }

  /** The value; an array of values if the path can name several; missing if there is none. */
  static JsonNode look(JsonNode root, String path) {
    var found = find(root, path);
    if (path.contains("[*]") || path.contains("..")) {
      var all = JsonNodeFactory.instance.arrayNode();
      found.forEach(place -> all.add(place.value()));
      return all;
    }
    return found.isEmpty() ? MissingNode.getInstance() : found.getFirst().value();
  }

  static void remove(JsonNode root, List<String> paths) {
    for (String path : paths) {
      find(root, path).stream()
          .sorted(Comparator.comparingInt(Place::index).reversed())
          .forEach(Place::remove);
    }
  }

  private static void step(JsonNode here, java.util.regex.Matcher token, List<Place> out) {
    String name = token.group(2) != null ? token.group(2) : token.group(3);
    if (token.group(1) != null) {
      deep(here, token.group(1), out);
    } else if (name != null) {
      if (here.has(name)) {
        out.add(new Place(here, name, -1));
      }
    } else if (token.group(4) != null) {
      int index = Integer.parseInt(token.group(4));
      if (here.isArray() && index < here.size()) {
        out.add(new Place(here, "", index));
      }
    } else if (token.group(5) != null) {
      for (int i = 0; here.isArray() && i < here.size(); i++) {
        out.add(new Place(here, "", i));
      }
      here.fieldNames().forEachRemaining(field -> out.add(new Place(here, field, -1)));
    } else {
      for (int i = 0; here.isArray() && i < here.size(); i++) {
        if (look(here.get(i), "$." + token.group(6)).asText().equals(token.group(7))) {
          out.add(new Place(here, "", i));
        }
      }
    }
  }

  private static void deep(JsonNode root, String name, List<Place> out) {
    var open = new ArrayDeque<JsonNode>(List.of(root));
    while (!open.isEmpty()) {
      JsonNode node = open.remove();
      if (node.isObject() && node.has(name)) {
        out.add(new Place(node, name, -1));
      }
      node.forEach(open::add);
    }
  }
}
