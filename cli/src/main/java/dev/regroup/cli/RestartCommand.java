package dev.regroup.cli;

import dev.regroup.cli.group.RestartAsk;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Screen;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup restart}: a group or a pod in place, because somebody asks for it. */
@Command(
    name = "restart",
    description = {
      "Restarts a JobSet's group, or one pod, in place and waits until it runs again.",
      "",
      "A restart of a group uses one of its maxRestarts unless --uncounted is given. A single pod"
          + " can be restarted on Regroup's own nodes only."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:runs again",
      "1:refused or failed",
      "2:wrong usage",
      "3:not found",
      "4:timed out"
    },
    footer = {
      "  regroup restart jobset/training",
      "  regroup restart jobset/training --uncounted --reason maintenance",
      "  regroup restart pod/training-workers-0-1-x7k2p --grace 10"
    })
final class RestartCommand implements Callable<Integer> {

  @Parameters(paramLabel = "jobset/NAME|pod/NAME", description = "What to restart.")
  String target = "";

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"--namespace", "-n"},
      paramLabel = "NAME",
      description = "Where it is (default: the context's).")
  @Nullable String namespace;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why: the event says it (and the condition of a pod).")
  String reason = "";

  @Option(
      names = "--grace",
      paramLabel = "SECONDS",
      description = "For a pod: time between the stop signal and the kill, 0 to 600.")
  @Nullable Integer grace;

  @Option(names = "--uncounted", description = "For a JobSet: do not use up a restart.")
  boolean uncounted;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationText.class,
      description = "How long to wait (default: 2m).",
      defaultValue = "2m")
  Duration timeout = Duration.ofMinutes(2);

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    var chosen = Target.of(target, namespace == null ? access.namespace() : namespace);
    boolean group = chosen.kind() == Target.Kind.JOB_SET;
    if (grace != null && (group || grace < 0 || grace > 600)) {
      throw wrong(
          group
              ? "--grace: a group has none (set annotation regroup.dev/restart-grace on the JobSet)"
              : "--grace is 0 to 600 seconds, not " + grace);
    }
    if (uncounted && !group) {
      throw wrong("--uncounted: restarts of a single pod are not counted anyway");
    }
    var wish =
        new RestartAsk.Wish(
            UUID.randomUUID().toString(),
            reason,
            grace == null ? OptionalInt.empty() : OptionalInt.of(grace),
            uncounted);
    try (var transport = access.open()) {
      Screen.out(spec).println(new RestartAsk(transport, timeout).restart(chosen, wish));
    }
    return 0;
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
