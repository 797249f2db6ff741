package dev.regroup.server.select;

import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestQuery;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which objects of a collection a request is about: labels and fields together. Name and namespace
 * come from the key of an object, so a selection by name never looks into bytes.
 */
public final class Selection {
  private final LabelSelector labels;
  private final FieldSelector fields;
  private final Map<String, String> pathOfField;
  private final Map<String, String> defaults;
  private final Set<String> pathsToRead;

  private Selection(LabelSelector labels, FieldSelector fields, SelectableFields selectable) {
    this.labels = labels;
    this.fields = fields;
    this.pathOfField = selectable.paths();
    this.defaults = selectable.defaults();
    this.pathsToRead = new HashSet<>();
    for (var term : fields.terms()) {
      if (!term.field().startsWith("metadata.name")) { // name and namespace stand in the key
        pathsToRead.add(pathOfField.getOrDefault(term.field(), term.field()));
      }
    }
  }

  public static Selection of(RequestQuery query, SelectableFields selectable) throws Refused {
    try {
      var labels = LabelSelector.parse(query.text("labelSelector"));
      var fields = FieldSelector.parse(query.text("fieldSelector"));
      selectable.check(fields);
      return new Selection(labels, fields, selectable);
    } catch (SelectorSyntax e) {
      throw Refused.badRequest(String.valueOf(e.getMessage()));
    }
  }

  public boolean everything() {
    return labels.everything() && fields.everything();
  }

  /** The one name that can match, if the selection says so. */
  public Optional<String> onlyName() {
    return fields.required("metadata.name");
  }

  public Optional<String> onlyNamespace() {
    return fields.required("metadata.namespace");
  }

  public boolean matches(String namespace, String name, byte[] object) {
    if (everything()) {
      return true;
    }
    if (labels.everything() && pathsToRead.isEmpty()) {
      return fields.matches(namespace, name);
    }
    var values = new HashMap<String, String>();
    values.put("metadata.name", name);
    values.put("metadata.namespace", namespace);
    var found = Peek.read(object, pathsToRead);
    for (var term : fields.terms()) {
      var path = pathOfField.getOrDefault(term.field(), term.field());
      var value = found.fields().getOrDefault(path, defaults.getOrDefault(path, ""));
      values.putIfAbsent(term.field(), value);
    }
    return labels.matches(found.labels()) && fields.matches(values);
  }
}
