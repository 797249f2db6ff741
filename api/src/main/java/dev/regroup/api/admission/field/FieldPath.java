package dev.regroup.api.admission.field;

import java.util.ArrayList;
import java.util.List;

/**
 * Where in an object something is: a list of steps, so that a reader of YAML can find the line.
 * Prints as Kubernetes does: {@code spec.containers[0].ports[1].name}, {@code data[key]}.
 */
public record FieldPath(List<Step> steps) {

  /** One step down. */
  public sealed interface Step {
    record Name(String name) implements Step {}

    record Index(int index) implements Step {}

    record Key(String key) implements Step {}
  }

  /** The object itself; an error there prints as {@code <nil>}. */
  public static final FieldPath ROOT = new FieldPath(List.of());

  public FieldPath {
    steps = List.copyOf(steps);
  }

  public static FieldPath of(String... names) {
    return ROOT.field(names);
  }

  public FieldPath field(String... names) {
    var next = new ArrayList<>(steps);
    for (String name : names) {
      next.add(new Step.Name(name));
    }
    return new FieldPath(next);
  }

  public FieldPath index(int index) {
    return with(new Step.Index(index));
  }

  public FieldPath key(String key) {
    return with(new Step.Key(key));
  }

  private FieldPath with(Step step) {
    var next = new ArrayList<>(steps);
    next.add(step);
    return new FieldPath(next);
  }

  @Override
  public String toString() {
    if (steps.isEmpty()) {
      return "<nil>";
    }
    var text = new StringBuilder();
    for (Step step : steps) {
      switch (step) {
        case Step.Name(String name) -> text.append(text.isEmpty() ? "" : ".").append(name);
        case Step.Index(int index) -> text.append('[').append(index).append(']');
        case Step.Key(String key) -> text.append('[').append(key).append(']');
      }
    }
    return text.toString();
  }
}
