package dev.regroup.server.select;

import dev.regroup.server.wire.GoText;
import java.util.HashMap;
import java.util.Map;

/**
 * The fields of one resource that a field selector may name.
 *
 * @param paths name in a selector to path in the stored object
 * @param defaults values of fields that are absent, where that is not the empty text
 * @param texts which of Kubernetes' refusals an unknown field gets
 */
public record SelectableFields(
    Map<String, String> paths, Map<String, String> defaults, Texts texts) {

  /** Kinds without conversion functions of their own are refused with a longer text. */
  public enum Texts {
    GENERIC,
    OF_KIND,
    OF_JOB
  }

  private static final Map<String, String> METADATA =
      Map.of("metadata.name", "metadata.name", "metadata.namespace", "metadata.namespace");

  public static final SelectableFields STANDARD =
      new SelectableFields(METADATA, Map.of(), Texts.GENERIC);

  public SelectableFields {
    paths = Map.copyOf(paths);
    defaults = Map.copyOf(defaults);
  }

  /** Name and namespace and these; each is called by its path. */
  public static SelectableFields and(String... more) {
    var paths = new HashMap<>(METADATA);
    for (var path : more) {
      paths.put(path, path);
    }
    return new SelectableFields(paths, Map.of(), Texts.OF_KIND);
  }

  /** The same with one field called differently in selectors. */
  public SelectableFields withAlias(String name, String path) {
    var more = new HashMap<>(paths);
    more.put(name, path);
    return new SelectableFields(more, defaults, texts);
  }

  /** The same with this refusal of other fields. */
  public SelectableFields withTexts(Texts refusal) {
    return new SelectableFields(paths, defaults, refusal);
  }

  public SelectableFields withDefault(String path, String value) {
    var more = new HashMap<>(defaults);
    more.put(path, value);
    return new SelectableFields(paths, more, texts);
  }

  void check(FieldSelector selector) throws SelectorSyntax {
    for (var term : selector.terms()) {
      if (!paths.containsKey(term.field())) {
        throw new SelectorSyntax(
            switch (texts) {
              case GENERIC ->
                  GoText.quote(term.field())
                      + " is not a known field selector: only \"metadata.name\","
                      + " \"metadata.namespace\"";
              case OF_KIND -> "field label not supported: " + term.field();
              case OF_JOB -> "field label " + GoText.quote(term.field()) + " not supported for Job";
            });
      }
    }
  }
}
