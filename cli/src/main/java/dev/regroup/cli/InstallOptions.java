package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.deploy.InstallSettings;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code install} and {@code uninstall} are told about the installation. */
final class InstallOptions {

  private static final Set<String> SWITCHES =
      Set.of("metrics", "flowControl", "agentPolicy", "networkPolicy");
  private static final Set<String> TEXTS =
      Set.of(
          "imagePullPolicy",
          "agentKind",
          "featureGates",
          "webhookFailurePolicy",
          "priorityClassName");

  @Option(
      names = {"--namespace", "-n"},
      paramLabel = "NAME",
      description = "Where the controller runs (default: ${DEFAULT-VALUE}).",
      defaultValue = InstallSettings.NAMESPACE)
  String namespace = InstallSettings.NAMESPACE;

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      description = "The controller's image (default: regroup.dev/controller:v1).")
  @Nullable String image;

  @Option(
      names = "--agent-image",
      paramLabel = "IMAGE",
      description = "The agents' image (default: regroup.dev/in-place-restart-agent:v1).")
  @Nullable String agentImage;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description = "Replicas of the controller (default: 2).")
  @Nullable Integer replicas;

  @Option(
      names = "--manage",
      paramLabel = "all|marked",
      description =
          "Which JobSets are run (default: all where the JobSet definition is Regroup's, else those"
              + " with spec.managedBy regroup.dev/jobset-controller).")
  @Nullable String manage;

  @Option(
      names = "--namespace-agents",
      paramLabel = "NAME,...",
      hideParamSyntax = true,
      split = ",",
      description =
          "Namespaces where the agents' account is made now; the controller then makes none by"
              + " itself, and has no right to.")
  List<String> agentNamespaces = new ArrayList<>();

  @Option(
      names = "--webhook-url",
      paramLabel = "URL",
      description =
          "The controller runs outside the cluster and its webhooks are reached here; nothing runs"
              + " inside.")
  @Nullable String webhookUrl;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "A value of the chart: metrics, flowControl, agentPolicy, networkPolicy (true or false),"
              + " agentKind, featureGates, imagePullPolicy, priorityClassName,"
              + " webhookFailurePolicy, podForceFailAfter (such as 30s); may be repeated.")
  List<String> values = new ArrayList<>();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationText.class,
      description = "How long to wait until it is ready (default: 3m).",
      defaultValue = "3m")
  Duration timeout = Duration.ofMinutes(3);

  InstallSettings settings() throws CliFailure {
    var chosen = Wire.object();
    put(chosen, "controllerImage", image);
    put(chosen, "agentImage", agentImage);
    if (replicas != null) {
      chosen.put("replicas", replicas);
    }
    if (manage != null && !Set.of("all", "marked").contains(manage)) {
      throw wrong("--manage is all or marked, not \"" + manage + "\"");
    }
    put(chosen, "manage", manage);
    if (webhookUrl != null && !webhookUrl.startsWith("https://")) {
      throw wrong("--webhook-url begins with https://, got \"" + webhookUrl + "\"");
    }
    put(chosen, "webhookUrl", webhookUrl == null ? null : webhookUrl.replaceAll("/+$", ""));
    if (!agentNamespaces.isEmpty()) {
      var list = chosen.put("agentAccounts", "manual").putArray("agentNamespaces");
      agentNamespaces.forEach(list::add);
    }
    for (String value : values) {
      set(chosen, value);
    }
    return new InstallSettings(namespace, chosen, timeout);
  }

  private static void put(ObjectNode chosen, String key, @Nullable String value) {
    if (value != null) {
      chosen.put(key, value);
    }
  }

  private static void set(ObjectNode chosen, String setting) throws CliFailure {
    int equals = setting.indexOf('=');
    String key = equals < 0 ? setting : setting.substring(0, equals);
    String value = equals < 0 ? "" : setting.substring(equals + 1);
    if (SWITCHES.contains(key)) {
      if (!value.equals("true") && !value.equals("false")) {
        throw wrong("--set %s is true or false, not \"%s\"".formatted(key, value));
      }
      chosen.put(key, value.equals("true"));
    } else if (key.equals("podForceFailAfter")) {
      if (!value.matches("[1-9][0-9]{0,5}[smh]")) {
        throw wrong("--set %s is a time such as 30s, not \"%s\"".formatted(key, value));
      }
      chosen.put(key, value);
    } else if (TEXTS.contains(key)) {
      chosen.put(key, value);
    } else {
      throw wrong("--set: unknown key \"%s\" (see regroup install --help)".formatted(key));
    }
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
