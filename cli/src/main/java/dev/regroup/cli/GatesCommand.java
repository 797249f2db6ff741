package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.Gates.Component;
import dev.regroup.api.Wire;
import dev.regroup.cli.explain.ExplanationText;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code regroup gates}: every feature gate and how it stands with these options (GATE-09). */
@Command(
    name = "gates",
    description = {
      "Lists the feature gates: name, alias, default and state.",
      "",
      "The state is that of 'run' and 'up' with the same options; a gate may differ between the"
          + " server, the node and the controllers."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:listed", "2:wrong usage"},
    footer = {
      "  regroup gates",
      "  regroup gates --gates=upstream --feature-gates=RestartJob=true"
    })
final class GatesCommand implements Callable<Integer> {

  @Mixin GateOptions options = new GateOptions();

  @Mixin OutputOption output = new OutputOption();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure {
    var gates = options.gates(Screen.err(spec));
    if (!output.isText()) {
      output.print(Screen.out(spec), tree(gates));
      return 0;
    }
    var lines = new ArrayList<List<String>>();
    lines.add(List.of("NAME", "ALIAS", "DEFAULT", "KUBERNETES", "STATE"));
    for (Gate gate : Gate.values()) {
      lines.add(
          List.of(
              gate.wireName(),
              gate.aliases().isEmpty() ? "-" : String.join(",", gate.aliases()),
              word(gate.productDefault()),
              word(gate.upstreamDefault()),
              state(gates, gate)));
    }
    var out = Screen.out(spec);
    out.print(ExplanationText.aligned(lines));
    out.flush();
    return 0;
  }

  private static ArrayNode tree(Gates gates) {
    ArrayNode tree = Wire.object().putArray("gates");
    for (Gate gate : Gate.values()) {
      ObjectNode entry = tree.addObject().put("name", gate.wireName());
      var aliases = entry.putArray("aliases");
      gate.aliases().forEach(aliases::add);
      entry.put("default", gate.productDefault()).put("kubernetes", gate.upstreamDefault());
      ObjectNode state = entry.putObject("state");
      for (Component component : Component.values()) {
        state.put(component.name().toLowerCase(Locale.ROOT), gates.on(gate, component));
      }
      entry.put("locked", gate.locked());
    }
    return tree;
  }

  /** One word, or one per component where they differ. */
  private static String state(Gates gates, Gate gate) {
    var states =
        Stream.of(Component.values()).map(component -> gates.on(gate, component)).distinct();
    if (states.count() == 1) {
      return word(gates.on(gate)) + (gate.locked() ? " (locked)" : "");
    }
    return Stream.of(Component.values())
        .map(component ->
            component.name().toLowerCase(Locale.ROOT) + "=" + word(gates.on(gate, component)))
        .collect(Collectors.joining(","));
  }

  private static String word(boolean on) {
    return on ? "on" : "off";
  }
}
