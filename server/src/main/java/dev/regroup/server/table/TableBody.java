package dev.regroup.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestQuery;
import java.time.Instant;
import java.util.List;

/** Builds the {@code Table} object of an answer. */
public final class TableBody {

  /** What a row carries beside its cells. */
  public enum Include {
    METADATA,
    OBJECT,
    NONE;

    public static Include of(RequestQuery query) throws Refused {
      var text = query.text("includeObject");
      return switch (text) {
        case "", "Metadata" -> METADATA;
        case "Object" -> OBJECT;
        case "None" -> NONE;
        default ->
            throw Refused.badRequest(
                "Unable to convert to Table as requested: includeObject: Invalid value: "
                    + GoText.quote(text)
                    + ": must be 'Metadata', 'Object', 'None', or empty");
      };
    }
  }

  private TableBody() {}

  public static ObjectNode of(
      TableView view, List<ObjectNode> objects, Include include, Instant now) {
    var table = JsonNodeFactory.instance.objectNode();
    table.put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
    table.putObject("metadata");
    writeColumns(table, view.columns());
    var rows = table.putArray("rows");
    for (var object : objects) {
      var row = rows.addObject();
      var cells = row.putArray("cells");
      view.cells(object, now).forEach(cells::addPOJO);
      row.set("object", included(object, include));
    }
    return table;
  }

  /** The object reduced to its metadata. */
  public static ObjectNode partialMetadata(ObjectNode object) {
    var partial = JsonNodeFactory.instance.objectNode();
    partial.put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
    partial.set("metadata", object.path("metadata"));
    return partial;
  }

  private static JsonNode included(ObjectNode object, Include include) {
    return switch (include) {
      case METADATA -> partialMetadata(object);
      case OBJECT -> object;
      case NONE -> JsonNodeFactory.instance.nullNode();
    };
  }

  private static void writeColumns(ObjectNode table, List<Column> columns) {
    var definitions = table.putArray("columnDefinitions");
    for (var column : columns) {
      definitions
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("format", column.format())
          .put("description", column.description())
          .put("priority", column.priority());
    }
  }
}
