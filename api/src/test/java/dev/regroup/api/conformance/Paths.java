package dev.regroup.api.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The path language of recordings: {@code $.a.b[0]['x/y'][*][type=Ready]}. */
final class Paths {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\.([\\w-]+)|\\['([^']+)'\\]|\\[(\\d+)\\]|\\[(\\*)\\]|\\[(\\w+)=([^\\]]+)\\]");

  private record Place(JsonNode parent, String field, int index) {
    JsonNode value() {
      return index < 0 ? parent.path(field) : parent.path(index);
    }
  }

  private Paths() {}

  /** The value at a path, a list when it can name several, null when there is none. */
  static JsonNode look(JsonNode root, String path) {
    var found = find(root, path).stream().map(Place::value).toList();
    if (path.contains("[*]")) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      found.forEach(list::add);
      return list;
    }
    return found.isEmpty() ? NullNode.getInstance() : found.getFirst();
  }

  static void remove(JsonNode root, String path) {
    for (Place place : find(root, path).reversed()) {
      if (place.parent() instanceof ObjectNode object) {
        object.remove(place.field());
      } else if (place.parent() instanceof ArrayNode array) {
        array.remove(place.index());
      }
    }
  }

  private static List<Place> find(JsonNode root, String path) {
    ObjectNode top = JsonNodeFactory.instance.objectNode();
    top.set("$", root);
    List<Place> places = List.of(new Place(top, "$", -1));
    Matcher token = TOKEN.matcher(path.substring(1));
    int end = 0;
    while (token.find()) {
      if (token.start() != end) {
        throw new IllegalArgumentException("path " + path);
      }
      end = token.end();
      var next = new ArrayList<Place>();
      for (Place place : places) {
        step(place.value(), token, next);
      }
      places = next;
    }
    return places;
  }

  private static void step(JsonNode here, Matcher token, List<Place> next) {
    String name = token.group(1) != null ? token.group(1) : token.group(2);
    if (name != null) {
      if (here.has(name)) {
        next.add(new Place(here, name, -1));
      }
    } else if (token.group(3) != null) {
      int index = Integer.parseInt(token.group(3));
      if (index < here.size()) {
        next.add(new Place(here, "", index));
      }
    } else {
      for (int i = 0; i < here.size(); i++) {
        boolean wanted =
            token.group(4) != null
                || here.path(i).path(token.group(5)).asText().equals(token.group(6));
        if (wanted) {
          next.add(new Place(here, "", i));
        }
      }
    }
  }
}
