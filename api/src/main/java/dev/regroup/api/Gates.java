package dev.regroup.api;

import dev.regroup.rules.RuleGate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The feature gates of one run: which are on, per component. A value object made once where the
 * parts are wired ({@link #product()} or {@link #upstream()}, then {@link #with}); asked where
 * requests enter, never in the middle of an algorithm.
 */
public final class Gates {

  /** Who asks; the prefix in {@code --feature-gates=node/A=true} (GATE-09). */
  public enum Component {
    SERVER,
    NODE,
    CONTROL;

    String prefix() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Which defaults are in force: {@code --gates=product|upstream}. */
  public enum Preset {
    PRODUCT,
    UPSTREAM
  }

  /** Gates and the warnings that their spelling earned. */
  public record Parsed(Gates gates, List<String> warnings) {
    public Parsed {
      warnings = List.copyOf(warnings);
    }
  }

  private final Preset preset;
  private final Map<Component, Set<Gate>> on;
  private final Decoding decoding;

  private Gates(Preset preset, Map<Component, Set<Gate>> on, Decoding decoding) {
    this.preset = preset;
    this.on = on;
    this.decoding = decoding;
  }

  /** What a user of Regroup gets without saying anything (GATE-09, JS-170a). */
  public static Gates product() {
    return of(Preset.PRODUCT);
  }

  /** Exactly Kubernetes 1.36 and JobSet (GATE-09, JS-170). */
  public static Gates upstream() {
    return of(Preset.UPSTREAM);
  }

  public static Gates of(Preset preset) {
    var defaults = EnumSet.noneOf(Gate.class);
    for (Gate gate : Gate.values()) {
      boolean enabled =
          switch (preset) {
            case PRODUCT -> gate.productDefault();
            case UPSTREAM -> gate.upstreamDefault();
          };
      if (enabled) {
        defaults.add(gate);
      }
    }
    var on = new EnumMap<Component, Set<Gate>>(Component.class);
    for (Component component : Component.values()) {
      on.put(component, Collections.unmodifiableSet(EnumSet.copyOf(defaults)));
    }
    var decoding =
        switch (preset) {
          case PRODUCT -> Decoding.LENIENT;
          case UPSTREAM -> Decoding.STRICT;
        };
    return new Gates(preset, on, decoding);
  }

  public Preset preset() {
    return preset;
  }

  /** Lenient spellings belong to the product; upstream's preset is strict unless told otherwise. */
  public Decoding decoding() {
    return decoding;
  }

  /** The same gates with another way to read spellings ({@code --decoding}). */
  public Gates with(Decoding other) {
    return new Gates(preset, on, other);
  }

  public boolean on(Gate gate, Component component) {
    return set(component).contains(gate);
  }

  /** As the API server sees it. */
  public boolean on(Gate gate) {
    return on(gate, Component.SERVER);
  }

  /** What decisions about exits ask for, as a component sees it. */
  public Set<RuleGate> rules(Component component) {
    var rules = EnumSet.noneOf(RuleGate.class);
    for (RuleGate rule : RuleGate.values()) {
      Gate gate =
          switch (rule) {
            case CONTAINER_RESTART_RULES -> Gate.CONTAINER_RESTART_RULES;
            case RESTART_ALL_CONTAINERS -> Gate.RESTART_ALL_CONTAINERS;
            case TERMINATE_POD_ON_COMPLETION -> Gate.TERMINATE_POD_ON_COMPLETION;
            case EXTENDED_RULES -> Gate.EXTENDED_RULES;
          };
      if (on(gate, component)) {
        rules.add(rule);
      }
    }
    return rules;
  }

  /**
   * Sets single gates on top: {@code A=true,node/B=false}. All problems are named together; the
   * needs of a gate are checked per component after everything was applied.
   *
   * @throws IllegalArgumentException with a text for the user
   */
  public Parsed with(String settings) {
    var next = new EnumMap<Component, Set<Gate>>(Component.class);
    for (Component component : Component.values()) {
      next.put(component, EnumSet.copyOf(set(component)));
    }
    var problems = new ArrayList<String>();
    var warnings = new ArrayList<String>();
    for (String setting : settings.split(",", -1)) {
      if (!setting.isBlank()) {
        apply(setting.strip(), next, problems, warnings);
      }
    }
    if (problems.isEmpty()) {
      checkNeeds(next, problems);
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException("feature gates: " + String.join("; ", problems));
    }
    return new Parsed(new Gates(preset, next, decoding), warnings);
  }

  private static void apply(
      String setting,
      Map<Component, Set<Gate>> next,
      List<String> problems,
      List<String> warnings) {
    int equals = setting.indexOf('=');
    if (equals < 0) {
      problems.add("\"" + setting + "\" has no value (write " + setting + "=true or =false)");
      return;
    }
    String name = setting.substring(0, equals).strip();
    String value = setting.substring(equals + 1).strip();
    var components = EnumSet.allOf(Component.class);
    int slash = name.indexOf('/');
    if (slash >= 0) {
      String prefix = name.substring(0, slash);
      components.removeIf(component -> !component.prefix().equals(prefix));
      name = name.substring(slash + 1);
      if (components.isEmpty()) {
        problems.add("unknown component \"" + prefix + "\" (server, node or control)");
        return;
      }
    }
    var gate = Gate.named(name).orElse(null);
    if (gate == null) {
      problems.add("unknown gate \"" + name + "\" (regroup gates lists them)");
      return;
    }
    if (!value.equals("true") && !value.equals("false")) {
      problems.add(name + " is true or false, not \"" + value + "\"");
      return;
    }
    if (gate.locked() && !value.equals(String.valueOf(gate.upstreamDefault()))) {
      problems.add(name + " is locked to " + gate.upstreamDefault());
      return;
    }
    if (gate.aliases().contains(name)) {
      warnings.add("feature gate " + name + " is an old name of " + gate.wireName());
    }
    if (gate.changesNothing() && !value.equals(String.valueOf(gate.productDefault()))) {
      warnings.add("feature gate " + name + " changes nothing here");
    }
    for (Component component : components) {
      var gates = next.getOrDefault(component, EnumSet.noneOf(Gate.class));
      if (value.equals("true")) {
        gates.add(gate);
      } else {
        gates.remove(gate);
      }
    }
  }

  private static void checkNeeds(Map<Component, Set<Gate>> next, List<String> problems) {
    var texts = new LinkedHashSet<String>();
    for (Set<Gate> gates : next.values()) {
      for (Gate gate : gates) {
        for (Gate needed : gate.needs()) {
          if (!gates.contains(needed)) {
            texts.add(gate.wireName() + " is on but needs " + needed.wireName() + ", which is off");
          }
        }
      }
    }
    problems.addAll(texts);
  }

  private Set<Gate> set(Component component) {
    return on.getOrDefault(component, Set.of());
  }
}
