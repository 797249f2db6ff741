package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.NodeSettings.ConditionNames;
import dev.regroup.rules.pod.NodeSettings.PhaseDuringRestart;
import dev.regroup.rules.pod.NodeSettings.PodRestartBackOff;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Settings of nodes and controllers that are no feature gates (node.md and jobset.md section 12),
 * as {@code --set} gives them. What is not set keeps the value of the preset.
 */
public record Switches(Map<Key, String> values) {

  static final Switches NONE = new Switches(Map.of());

  private static final Pattern SECONDS = Pattern.compile("([0-9]{1,3})s");
  private static final int LONGEST = 300; // seconds, as a kubelet allows

  /** One of them; the name and the values are those of the command line. */
  enum Key {
    /** RAC-51. */
    POD_RESTART_BACK_OFF("podRestartBackOff", "on or off"),
    /** RAC-38. */
    PHASE_DURING_RESTART("phaseDuringInPlaceRestart", "pending or upstream"),
    /** CND-13. */
    CONDITION_NAMES("podConditionNames", "new or both"),
    /** GATE-06; any number of seconds up to 300. */
    LONGEST_BACK_OFF("crashLoopBackOff.maxContainerRestartPeriod", "1s to 300s"),
    /** Whether the scheduler weighs what pods ask for. */
    REQUESTS("requests", "weighed or ignored"),
    /** JB-113; how long a node may be silent. */
    NODE_GRACE("nodeMonitorGracePeriod", "1s to 300s"),
    /** JS-136. */
    FORCE_FAIL("podForceFailAfter", "off or 1s to 300s"),
    /** JS-160. */
    FAIL_ON_UNREACHABLE("failOnNodeUnreachable", "true or false");

    private final String wireName;
    private final String allowed;

    Key(String wireName, String allowed) {
      this.wireName = wireName;
      this.allowed = allowed;
    }

    private static Optional<Key> named(String name) {
      return Arrays.stream(values()).filter(key -> key.wireName.equals(name)).findFirst();
    }

    private boolean allows(String value) {
      return List.of(allowed.split(" or ", -1)).contains(value)
          || (allowed.endsWith("1s to 300s") && seconds(value).isPresent());
    }
  }

  public Switches {
    values = Map.copyOf(values);
  }

  /** Of {@code key=value} each; a later one wins. */
  public static Switches of(List<String> settings) throws CliFailure {
    var values = new EnumMap<Key, String>(Key.class);
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      String name = equals < 0 ? setting : setting.substring(0, equals);
      var key = Key.named(name).orElse(null);
      if (key == null) {
        throw wrong("unknown key \"%s\" (%s)".formatted(name, names()));
      }
      String value = equals < 0 ? "" : setting.substring(equals + 1);
      if (!key.allows(value)) {
        throw wrong("%s is %s, not \"%s\"".formatted(key.wireName, key.allowed, value));
      }
      values.put(key, value);
    }
    return new Switches(values);
  }

  NodeSettings onTopOf(NodeSettings base) {
    return new NodeSettings(
        base.gates(),
        value(Key.POD_RESTART_BACK_OFF)
            .map(PodRestartBackOff::valueOf)
            .orElse(base.podRestartBackOff()),
        value(Key.PHASE_DURING_RESTART)
            .map(PhaseDuringRestart::valueOf)
            .orElse(base.phaseDuringRestart()),
        value(Key.CONDITION_NAMES).map(ConditionNames::valueOf).orElse(base.conditionNames()),
        base.backOffInitial(),
        duration(Key.LONGEST_BACK_OFF).orElse(base.backOffMax()));
  }

  Scheduler.Requests requests() {
    return value(Key.REQUESTS).map(Scheduler.Requests::valueOf).orElse(Scheduler.Requests.WEIGHED);
  }

  NodeLossSettings nodeLoss() {
    var base = NodeLossSettings.DEFAULT;
    return new NodeLossSettings(
        duration(Key.NODE_GRACE).orElse(base.grace()),
        duration(Key.FORCE_FAIL),
        "false".equals(values.get(Key.FAIL_ON_UNREACHABLE))
            ? NodeLossSettings.Groups.WAIT
            : base.groups());
  }

  private Optional<Duration> duration(Key key) {
    return Optional.ofNullable(values.get(key)).flatMap(Switches::seconds);
  }

  private Optional<String> value(Key key) {
    return Optional.ofNullable(values.get(key)).map(value -> value.toUpperCase(Locale.ROOT));
  }

  private static Optional<Duration> seconds(String value) {
    var matcher = SECONDS.matcher(value);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int seconds = Integer.parseInt(matcher.group(1));
    return seconds < 1 || seconds > LONGEST
        ? Optional.empty()
        : Optional.of(Duration.ofSeconds(seconds));
  }

  private static String names() {
    return Arrays.stream(Key.values()).map(key -> key.wireName).collect(Collectors.joining(", "));
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, "--set: " + problem, null);
  }
}
