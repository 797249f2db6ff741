package dev.regroup.api.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One document: its tree, where it begins, and where each field stands.
 *
 * @param places position of each field's key (of each item in a list) by JSON pointer
 */
public record YamlDocument(JsonNode root, Position begin, Map<String, Position> places) {

  public YamlDocument {
    places = Map.copyOf(places);
  }

  /** Where this field stands; of a field that is absent, where its nearest parent stands. */
  public Position place(String pointer) {
    for (String at = pointer; !at.isEmpty(); at = at.substring(0, at.lastIndexOf('/'))) {
      Position found = places.get(at);
      if (found != null) {
        return found;
      }
    }
    return begin;
  }
}
