package dev.regroup.agent;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.ExitRule.Condition;
import dev.regroup.rules.ExitRule.Operator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code restartPolicyRules} as they stand in a container, for the one that the agent is the
 * entry point of. Admission has checked them; whoever writes the variable by hand is told what an
 * agent cannot do, instead of being ignored.
 */
final class RulesReading {

  private static final String LIST = "restartPolicyRules";
  private static final int MOST_CODES = 255; // VAL-08

  private RulesReading() {}

  /** {@code variable} is named in what goes wrong. */
  static List<ExitRule> of(String variable, String json) throws BadSetting {
    byte[] text = json.getBytes(StandardCharsets.UTF_8);
    Map<String, @Nullable Object> tree;
    try {
      tree = JsonScan.object(text, text.length, Set.of());
    } catch (IOException e) {
      throw new BadSetting(variable + ": " + e.getMessage());
    }
    if (!(tree.get(LIST) instanceof List<?> list)) {
      throw new BadSetting(variable + ": must be a JSON object with a list \"" + LIST + "\"");
    }
    var rules = new ArrayList<ExitRule>();
    for (Object one : list) {
      String field = variable + ": " + LIST + "[" + rules.size() + "]";
      rules.add(new ExitRule(action(field, one), condition(field, one), List.of(), Duration.ZERO));
    }
    return List.copyOf(rules);
  }

  private static Action action(String field, @Nullable Object rule) throws BadSetting {
    String name = JsonScan.text(rule, "action");
    for (Action action : Action.values()) {
      if (action.wireName().equals(name)) {
        return action;
      }
    }
    throw new BadSetting(
        field
            + ".action: must be Complete, Restart, RestartAllContainers, Terminate or TerminatePod,"
            + " got \""
            + name
            + "\"");
  }

  private static Condition condition(String field, @Nullable Object rule) throws BadSetting {
    if (JsonScan.at(rule, "exitCodes") != null) {
      return codes(field + ".exitCodes", rule);
    }
    if (JsonScan.at(rule, "restartTimes") instanceof Long times
        && times >= 0
        && times <= Integer.MAX_VALUE) {
      return new Condition.RestartTimes(times.intValue());
    }
    if (JsonScan.at(rule, "exit") != null) {
      return new Condition.AnyExit();
    }
    throw new BadSetting(field + ": must have exitCodes, restartTimes or exit");
  }

  private static Condition codes(String field, @Nullable Object rule) throws BadSetting {
    String name = JsonScan.text(rule, "exitCodes", "operator");
    var values = new ArrayList<Integer>();
    for (Object value : JsonScan.list(rule, "exitCodes", "values")) {
      if (!(value instanceof Long code)) {
        throw new BadSetting(field + ".values: must be a list of numbers");
      }
      values.add(Math.clamp(code, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    if (values.size() > MOST_CODES) {
      throw new BadSetting(field + ".values: must have at most " + MOST_CODES + " items");
    }
    for (Operator operator : List.of(Operator.IN, Operator.NOT_IN)) {
      if (operator.wireName().equals(name)) {
        return new Condition.ExitCodes(operator, values);
      }
    }
    throw new BadSetting(field + ".operator: must be In or NotIn, got \"" + name + "\"");
  }
}
