package dev.regroup.api.cel;

import static dev.regroup.api.cel.CostSize.plus;
import static dev.regroup.api.cel.CostSize.scaled;
import static dev.regroup.api.cel.CostSize.times;

import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What calls of functions cost at most and how large their results can be: the figures of
 * Kubernetes 1.36, which decide what definitions it takes. Most functions cost one step.
 */
final class CallCosts {
  private static final double CHARACTER = 0.1;
  private static final double EXPRESSION = 0.25; // a regular expression has one in four characters
  private static final long RIGHT = 350_000; // two questions about rights in one expression
  private static final long LONGEST_FORMAT = 64;
  private static final long LONGEST_NAME_EXPRESSION = 128;
  private static final CostSize ADDRESS = new CostSize(4, 16); // bytes

  private CallCosts() {}

  /**
   * An argument.
   *
   * @param element the size of what a list holds
   * @param number its value if it is a number as written
   */
  record Operand(CelType type, CostSize size, CostSize element, OptionalLong number) {

    private boolean isList() {
      return type.kind() == CelKind.LIST;
    }

    private boolean holdsTexts() {
      return type instanceof ListType list && list.hasElemType() && isText(list.elemType());
    }

    private static boolean isText(CelType type) {
      return type.kind() == CelKind.STRING || type.kind() == CelKind.BYTES;
    }
  }

  /**
   * @param cost without that of the arguments
   * @param result null when nothing is known of it
   */
  record Cost(long cost, @Nullable CostSize result) {

    static Cost of(long cost) {
      return new Cost(cost, null);
    }
  }

  static Cost of(
      String function, String overload, @Nullable Operand target, List<Operand> arguments) {
    return kubernetes(function, overload, target, arguments)
        .or(() -> language(overload, target, arguments))
        .orElse(Cost.of(1));
  }

  private static Optional<Cost> kubernetes(
      String function, String overload, @Nullable Operand target, List<Operand> arguments) {
    var first = arguments.isEmpty() ? CostSize.UNKNOWN : arguments.getFirst().size();
    if (target != null) {
      var found = ofTarget(function, overload, target, arguments, first);
      if (found.isPresent()) {
        return found;
      }
    }
    if (arguments.isEmpty()) {
      return Optional.empty();
    }
    return switch (function) {
      case "url", "jsonpatch.escapeKey" -> traversed(first);
      case "cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver" ->
          fixed(first.cost(CHARACTER));
      case "ip.isCanonical" -> fixed(first.cost(2 * CHARACTER));
      case "sets.contains", "sets.intersects" -> fixed(pairs(arguments, 1));
      case "sets.equivalent" -> fixed(pairs(arguments, 2));
      case "_==_" -> equality(arguments);
      default -> Optional.empty();
    };
  }

  private static Optional<Cost> ofTarget(
      String function, String overload, Operand target, List<Operand> arguments, CostSize first) {
    var size = target.size();
    return switch (function) {
      case "check" -> fixed(RIGHT);
      case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> fixed(compared(target));
      case "lowerAscii", "upperAscii", "substring", "trim" -> traversed(size);
      case "replace" -> replaced(size, arguments);
      case "split" -> {
        long most =
            arguments.size() > 1 ? arguments.get(1).number().orElse(size.most()) : size.most();
        yield Optional.of(new Cost(size.cost(2 * CHARACTER), new CostSize(0, most)));
      }
      case "join" -> joined(target, arguments);
      case "find", "findAll" ->
          Optional.of(new Cost(matched(size, first), new CostSize(0, size.most())));
      case "fieldSelector", "labelSelector" -> Optional.empty(); // not seen by rules of schemas
      case "containsIP" ->
          fixed(
              plus(
                  ADDRESS.plus(ADDRESS).cost(CHARACTER),
                  overload.endsWith("_string") ? first.cost(CHARACTER) : 0));
      case "containsCIDR" -> {
        long compared =
            plus(ADDRESS.plus(ADDRESS).cost(CHARACTER), plus(ADDRESS.cost(CHARACTER), 1));
        yield fixed(plus(compared, overload.endsWith("_string") ? first.cost(CHARACTER) : 0));
      }
      case "validate" -> fixed(scaled(first.cost(CHARACTER), LONGEST_NAME_EXPRESSION * EXPRESSION));
      case "ip" -> fixed(1);
      default -> Optional.empty();
    };
  }

  /** What the language itself has. */
  private static Optional<Cost> language(
      String overload, @Nullable Operand target, List<Operand> arguments) {
    var first = arguments.isEmpty() ? CostSize.UNKNOWN : arguments.getFirst().size();
    var second = arguments.size() < 2 ? CostSize.UNKNOWN : arguments.get(1).size();
    return switch (overload) {
      case "string_format" -> fixed(target == null ? 1 : target.size().cost(CHARACTER));
      case "string_to_bytes" -> sized(first, new CostSize(first.least(), times(first.most(), 4)));
      case "bytes_to_string" -> sized(first, new CostSize(first.least() / 4, first.most()));
      case "strings_quote" ->
          sized(first, new CostSize(plus(first.least(), 2), plus(times(first.most(), 2), 2)));
      case "starts_with_string", "ends_with_string" -> fixed(first.cost(CHARACTER));
      case "in_list" -> fixed(second.most());
      case "matches_string" -> fixed(target == null ? 1 : matched(target.size(), first));
      case "contains_string" ->
          fixed(target == null ? 1 : times(target.size().cost(CHARACTER), first.cost(CHARACTER)));
      case "add_list" -> Optional.of(new Cost(1, first.plus(second)));
      case "add_string", "add_bytes" -> traversed(first.plus(second));
      case "less_string",
          "greater_string",
          "less_equals_string",
          "greater_equals_string",
          "less_bytes",
          "greater_bytes",
          "less_equals_bytes",
          "greater_equals_bytes",
          "equals",
          "not_equals" ->
          fixed(scaled(Math.min(first.most(), second.most()), CHARACTER));
      default -> Optional.empty();
    };
  }

  private static Optional<Cost> fixed(long cost) {
    return Optional.of(Cost.of(cost));
  }

  /** Made by going through it once, and as large. */
  private static Optional<Cost> traversed(CostSize size) {
    return sized(size, size);
  }

  private static Optional<Cost> sized(CostSize read, CostSize made) {
    return Optional.of(new Cost(read.cost(CHARACTER), made));
  }

  private static long matched(CostSize text, CostSize expression) {
    return times(text.plus(CostSize.ONE).cost(CHARACTER), expression.cost(EXPRESSION));
  }

  /** Each item with its neighbour; of a text, each character. */
  private static long compared(Operand target) {
    if (!target.isList()) {
      return target.size().cost(CHARACTER);
    }
    long each = target.holdsTexts() ? plus(1, target.element().cost(CHARACTER)) : 1;
    return times(target.size().most(), each);
  }

  private static Optional<Cost> joined(Operand target, List<Operand> arguments) {
    var count = target.size();
    var size = target.isList() ? count.times(target.element()) : CostSize.exactly(0);
    if (!arguments.isEmpty()) {
      var gaps = new CostSize(Math.max(0, count.least() - 1), Math.max(0, count.most() - 1));
      size = size.plus(arguments.getFirst().size().times(gaps));
    }
    return traversed(size);
  }

  private static Optional<Cost> replaced(CostSize text, List<Operand> arguments) {
    if (arguments.size() < 2) {
      return Optional.empty();
    }
    var old = arguments.get(0).size();
    var next = arguments.get(1).size();
    long most;
    if (old.least() == 0) { // what is empty is found around every character
      most = plus(times(plus(text.most(), 1), next.most()), text.most());
    } else if (next.most() <= old.least()) {
      most = text.most();
    } else {
      most = times(scaled(text.most(), 1.0 / old.least()), next.most());
    }
    long least;
    if (old.most() == 0) {
      least = plus(times(plus(text.least(), 1), next.least()), text.least());
    } else if (old.most() <= next.least()) {
      least = text.least();
    } else {
      least = times(scaled(text.least(), 1.0 / old.most()), next.least());
    }
    return Optional.of(new Cost(text.cost(2 * CHARACTER), new CostSize(least, most)));
  }

  private static long pairs(List<Operand> arguments, int each) {
    return arguments.size() < 2
        ? 1
        : plus(
            1, times(each, times(arguments.get(0).size().most(), arguments.get(1).size().most())));
  }

  /** Values of Kubernetes' own types are compared at once. */
  private static Optional<Cost> equality(List<Operand> arguments) {
    var type = arguments.getFirst().type();
    if (arguments.size() != 2 || !type.equals(arguments.get(1).type())) {
      return Optional.empty();
    }
    return switch (type.name()) {
      case "net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver" -> fixed(1);
      case "kubernetes.NamedFormat" -> fixed(scaled(LONGEST_FORMAT, CHARACTER));
      case "kubernetes.URL" -> {
        long most = arguments.get(1).size().most();
        yield fixed(most == CostSize.UNBOUNDED ? 1 : scaled(most, CHARACTER));
      }
      default -> Optional.empty();
    };
  }
}
