package dev.regroup.server.select;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requirements on labels, all of which must hold. An empty list selects everything. */
public record LabelSelector(List<Requirement> requirements) {

  public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

  /** Comparison of one label with values. */
  public enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    DOES_NOT_EXIST,
    GREATER,
    LESS
  }

  /** One condition on one label. */
  public record Requirement(String key, Operator operator, Set<String> values) {
    public Requirement {
      values = Set.copyOf(values);
    }

    boolean matches(@Nullable String label) {
      return switch (operator) {
        case IN -> label != null && values.contains(label);
        case NOT_IN -> label == null || !values.contains(label);
        case EXISTS -> label != null;
        case DOES_NOT_EXIST -> label == null;
        case GREATER -> compare(label) > 0;
        case LESS -> compare(label) < 0;
      };
    }

    /** Zero also when the label is no number, so that neither comparison holds. */
    private int compare(@Nullable String label) {
      if (label == null) {
        return 0;
      }
      try {
        return Long.compare(Long.parseLong(label), Long.parseLong(values.iterator().next()));
      } catch (NumberFormatException e) {
        return 0;
      }
    }
  }

  public LabelSelector {
    requirements = List.copyOf(requirements);
  }

  /** Parses the text of a {@code labelSelector} parameter. */
  public static LabelSelector parse(String text) throws SelectorSyntax {
    return text.isEmpty() ? EVERYTHING : new LabelSelectorParser(text).parse();
  }

  public boolean everything() {
    return requirements.isEmpty();
  }

  public boolean matches(Map<String, String> labels) {
    for (var requirement : requirements) {
      if (!requirement.matches(labels.get(requirement.key()))) {
        return false;
      }
    }
    return true;
  }
}
