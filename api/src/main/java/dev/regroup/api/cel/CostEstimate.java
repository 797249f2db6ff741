package dev.regroup.api.cel;

import static dev.regroup.api.cel.CostSize.plus;
import static dev.regroup.api.cel.CostSize.times;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.regroup.api.cel.CostSize.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The most that an expression can cost, before it is evaluated: every name and field one step, a
 * loop as many times its body as its range can have items, a function what {@link CallCosts} says.
 * The counting is that of Kubernetes, so that it and this program refuse the same. One estimate;
 * one thread.
 */
final class CostEstimate {
  private static final long LIST = 10;
  private static final long MAP = 30;
  private static final long STRUCTURE = 40;

  private final CelAbstractSyntaxTree tree;
  private final CelSizes sizes;
  private final Map<Long, List<String>> paths = new HashMap<>();
  private final Map<Long, CostSize> known = new HashMap<>();
  private final Map<Long, Entry> entries = new HashMap<>();
  private final Map<String, Deque<Local>> locals = new HashMap<>();

  /** A variable of a loop. */
  private record Local(List<String> path, @Nullable CostSize size, @Nullable Entry entry) {}

  private CostEstimate(CelAbstractSyntaxTree tree, CelSizes sizes) {
    this.tree = tree;
    this.sizes = sizes;
  }

  static long most(CelAbstractSyntaxTree tree, CelSizes sizes) {
    return new CostEstimate(tree, sizes).cost(tree.getExpr());
  }

  private long cost(CelExpr part) {
    return switch (part.getKind()) {
      case CONSTANT, NOT_SET -> 0;
      case IDENT -> {
        paths.put(part.id(), path(part));
        yield 1;
      }
      case SELECT -> select(part);
      case CALL -> call(part, part.call());
      case LIST -> list(part);
      case MAP -> map(part);
      case STRUCT -> {
        long sum = STRUCTURE;
        for (var entry : part.struct().entries()) {
          sum = plus(sum, cost(entry.value()));
        }
        yield sum;
      }
      case COMPREHENSION -> loop(part, part.comprehension());
    };
  }

  private long select(CelExpr part) {
    var operand = part.select().operand();
    long sum = cost(operand);
    if (part.select().testOnly()) {
      return sum;
    }
    paths.put(part.id(), below(operand, part.select().field()));
    return switch (type(operand).kind()) {
      case MAP, STRUCT, TYPE_PARAM -> plus(sum, 1);
      default -> sum;
    };
  }

  private long list(CelExpr part) {
    var elements = part.list().elements();
    var item = CostSize.exactly(0);
    long sum = LIST;
    for (int i = 0; i < elements.size(); i++) {
      sum = plus(sum, cost(elements.get(i)));
      item = i == 0 ? size(elements.get(i)) : item.union(size(elements.get(i)));
    }
    entries.put(part.id(), new Entry(true, CostSize.ONE, item));
    return sum;
  }

  private long map(CelExpr part) {
    var all = part.map().entries();
    var key = CostSize.exactly(0);
    var value = CostSize.exactly(0);
    long sum = MAP;
    for (int i = 0; i < all.size(); i++) {
      var entry = all.get(i);
      sum = plus(sum, plus(cost(entry.key()), cost(entry.value())));
      key = i == 0 ? size(entry.key()) : key.union(size(entry.key()));
      value = i == 0 ? size(entry.value()) : value.union(size(entry.value()));
    }
    entries.put(part.id(), new Entry(false, key, value));
    return sum;
  }

  private long loop(CelExpr part, CelComprehension loop) {
    long sum = plus(cost(loop.iterRange()), cost(loop.accuInit()));
    push(
        loop.accuVar(),
        new Local(path(loop.accuInit()), computed(loop.accuInit()), entry(loop.accuInit())));
    pushVariables(loop);
    long each = plus(cost(loop.loopCondition()), cost(loop.loopStep()));
    pop(loop.iterVar());
    if (!loop.iterVar2().isEmpty()) {
      pop(loop.iterVar2());
    }
    sum = plus(sum, cost(loop.result()));
    pop(loop.accuVar());
    var count = size(loop.iterRange());
    switch (loop.accuInit().getKind()) {
      case CONSTANT -> remember(part, computed(loop.accuInit()));
      case LIST, MAP -> {
        remember(part, count);
        remember(part, entry(loop.loopStep()));
      }
      default -> {} // nothing is known of what it makes
    }
    return plus(sum, times(count.most(), each));
  }

  private void pushVariables(CelComprehension loop) {
    var range = loop.iterRange();
    var held = entry(range);
    boolean list = held == null ? isList(range) : held.list();
    var key = new Local(below(range, list ? "@indices" : CelSizes.KEYS), key(held), null);
    var value = new Local(below(range, list ? CelSizes.ITEMS : CelSizes.VALUES), value(held), null);
    if (loop.iterVar2().isEmpty()) {
      push(loop.iterVar(), list ? value : key);
    } else {
      push(loop.iterVar(), key);
      push(loop.iterVar2(), value);
    }
  }

  private long call(CelExpr part, CelCall call) {
    if (call.function().equals("dyn")) {
      var argument = call.args().getFirst();
      long cost = plus(1, cost(argument));
      remember(part, computed(argument));
      remember(part, entry(argument));
      return cost;
    }
    var costs = new ArrayList<Long>();
    var operands = new ArrayList<CallCosts.Operand>();
    for (var argument : call.args()) {
      costs.add(cost(argument));
      operands.add(operand(argument));
    }
    var overloads =
        tree.getReference(part.id()).map(CelReference::overloadIds).orElse(ImmutableList.of());
    if (overloads.isEmpty()) {
      return 0;
    }
    long sum = 0;
    CallCosts.Operand target = null;
    if (call.target().isPresent()) {
      sum = cost(call.target().get());
      target = operand(call.target().get());
    }
    long most = 0;
    CostSize result = null;
    for (String overload : overloads) {
      var one = overload(part, overload, target, operands, costs);
      most = Math.max(most, one.cost());
      result = union(result, one.result());
      boolean item = overload.equals("index_list");
      if (item || overload.equals("index_map")) {
        var from = call.args().getFirst();
        result = value(entry(from));
        paths.put(part.id(), below(from, item ? CelSizes.ITEMS : CelSizes.VALUES));
      }
      result = result == null ? computed(part) : result;
    }
    remember(part, result);
    return plus(sum, most);
  }

  private CallCosts.Cost overload(
      CelExpr part,
      String overload,
      CallCosts.@Nullable Operand target,
      List<CallCosts.Operand> operands,
      List<Long> costs) {
    var arguments = part.call().args();
    switch (overload) {
      case "logical_or", "logical_and" -> {
        return CallCosts.Cost.of(plus(costs.get(0), costs.get(1)));
      }
      case "conditional" -> {
        remember(part, Entry.union(entry(arguments.get(1)), entry(arguments.get(2))));
        return new CallCosts.Cost(
            plus(costs.get(0), Math.max(costs.get(1), costs.get(2))),
            operands.get(1).size().union(operands.get(2).size()));
      }
      case "add_list" ->
          remember(part, Entry.union(entry(arguments.get(0)), entry(arguments.get(1))));
      default -> {} // keeps nothing of what its arguments hold
    }
    var one = CallCosts.of(part.call().function(), overload, target, operands);
    long cost = one.cost();
    for (long argument : costs) {
      cost = plus(cost, argument);
    }
    return new CallCosts.Cost(cost, one.result());
  }

  private CallCosts.Operand operand(CelExpr part) {
    var path = path(part);
    var element = bounded(below(part, CelSizes.ITEMS));
    boolean number =
        part.getKind() == CelExpr.ExprKind.Kind.CONSTANT
            && part.constant().getKind() == CelConstant.Kind.INT64_VALUE;
    return new CallCosts.Operand(
        type(part),
        size(part),
        path.isEmpty() || element == null ? CostSize.UNKNOWN : element,
        number ? OptionalLong.of(part.constant().int64Value()) : OptionalLong.empty());
  }

  private CostSize size(CelExpr part) {
    var computed = computed(part);
    return computed == null ? CostSize.UNKNOWN : computed;
  }

  /** As made, as written, as its place allows, as its type has it, as the loop's variable. */
  private @Nullable CostSize computed(CelExpr part) {
    var made = known.get(part.id());
    if (made != null) {
      return made;
    }
    switch (part.getKind()) {
      case CONSTANT -> {
        return CostSize.exactly(length(part.constant()));
      }
      case LIST -> {
        return CostSize.exactly(part.list().elements().size());
      }
      case MAP -> {
        return CostSize.exactly(part.map().entries().size());
      }
      default -> {} // seen below
    }
    var placed = bounded(path(part));
    if (placed != null) {
      known.put(part.id(), placed);
      return placed;
    }
    if (isScalar(type(part))) {
      return CostSize.ONE;
    }
    var local = local(part);
    return local == null ? null : local.size();
  }

  private @Nullable CostSize bounded(List<String> path) {
    var most = path.isEmpty() ? OptionalLong.empty() : sizes.most(path);
    return most.isPresent() ? new CostSize(0, most.getAsLong()) : null;
  }

  private static long length(CelConstant constant) {
    return switch (constant.getKind()) {
      case STRING_VALUE ->
          constant.stringValue().codePointCount(0, constant.stringValue().length());
      case BYTES_VALUE -> constant.bytesValue().size();
      default -> 1;
    };
  }

  private static boolean isScalar(CelType type) {
    if (type instanceof OptionalType optional) {
      return isScalar(optional.parameters().getFirst());
    }
    return switch (type.kind()) {
      case BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT -> true;
      default -> false;
    };
  }

  private boolean isList(CelExpr part) {
    return type(part).kind() == dev.cel.common.types.CelKind.LIST;
  }

  private CelType type(CelExpr part) {
    return tree.getType(part.id()).orElse(SimpleType.DYN);
  }

  private List<String> path(CelExpr part) {
    var local = local(part);
    if (local != null) {
      return local.path();
    }
    return part.getKind() == CelExpr.ExprKind.Kind.IDENT
        ? List.of(part.ident().name())
        : paths.getOrDefault(part.id(), List.of());
  }

  private List<String> below(CelExpr part, String step) {
    var path = new ArrayList<>(path(part));
    path.add(step);
    return path;
  }

  private @Nullable Entry entry(CelExpr part) {
    var made = entries.get(part.id());
    var local = local(part);
    return made != null || local == null ? made : local.entry();
  }

  private static @Nullable CostSize key(@Nullable Entry entry) {
    return entry == null ? null : entry.key();
  }

  private static @Nullable CostSize value(@Nullable Entry entry) {
    return entry == null ? null : entry.value();
  }

  private static @Nullable CostSize union(@Nullable CostSize a, @Nullable CostSize b) {
    return a == null ? b : b == null ? a : a.union(b);
  }

  private @Nullable Local local(CelExpr part) {
    return part.getKind() == CelExpr.ExprKind.Kind.IDENT
        ? locals.getOrDefault(part.ident().name(), new ArrayDeque<>()).peek()
        : null;
  }

  private void push(String name, Local local) {
    locals.computeIfAbsent(name, _ -> new ArrayDeque<>()).push(local);
  }

  private void pop(String name) {
    locals.getOrDefault(name, new ArrayDeque<>()).pop();
  }

  private void remember(CelExpr part, @Nullable CostSize size) {
    if (size != null) {
      known.put(part.id(), size);
    }
  }

  private void remember(CelExpr part, @Nullable Entry entry) {
    if (entry != null) {
      entries.put(part.id(), entry);
    }
  }
}
