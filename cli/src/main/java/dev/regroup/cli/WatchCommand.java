package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetStatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.live.LiveScreen;
import dev.regroup.cli.report.ReportText;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.run.PlainScreen;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.cli.run.RunProgress;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup watch}: the view of {@code run} on a JobSet that somebody else started. */
@Command(
    name = "watch",
    description = {
      "Shows a JobSet in a cluster as it runs, until it ends.",
      "",
      "In a terminal as a picture, else line by line. Changes nothing: leaving it leaves the JobSet"
          + " alone. Without a name it takes the one that has not ended."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:it succeeded, or you left",
      "1:it failed",
      "2:wrong usage",
      "3:no such JobSet"
    },
    footer = {
      "  regroup watch",
      "  regroup watch jobset/training",
      "  regroup watch --plain -n team-a jobset/training > log.txt"
    })
final class WatchCommand implements Callable<Integer> {

  private static final String JOB_SET = "jobset/";

  @Parameters(
      arity = "0..1",
      paramLabel = "jobset/NAME",
      description = "What to watch (default: the only JobSet that has not ended).")
  @Nullable String subject;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Of the JobSet (default: that of the kubeconfig's context).")
  @Nullable String namespace;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--plain", description = "Line by line, also in a terminal.")
  boolean plain;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    try (var transport = access.open()) {
      InterruptSignals.interrupting(Thread.currentThread());
      String where = namespace == null ? access.namespace() : namespace;
      return watch(transport, chosen(transport, where));
    } catch (ApiFailure e) {
      throw ConnectionOptions.refusal(e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    }
  }

  private int watch(Transport transport, ObjectNode jobSet)
      throws CliFailure, InterruptedException {
    var created = Trees.time(jobSet, "metadata", "creationTimestamp");
    var began = created == null ? Instant.now() : created;
    var self = Thread.currentThread();
    boolean live = !plain && LiveScreen.isPossible();
    var err = Screen.err(spec);
    try (var picture = LiveScreen.ofWatch(began, self::interrupt);
        var follower =
            RunFollower.of(
                transport,
                live ? picture : new PlainScreen(Screen.logs(spec), err),
                jobSet,
                began,
                RandomGenerator.getDefault())) {
      if (live) {
        picture.open(follower::view);
      }
      Optional<RunProgress.Result> ended;
      try {
        ended = follower.follow(List.of(jobSet), Optional.empty());
      } catch (InterruptedException e) {
        ended = Optional.empty(); // somebody leaves
      }
      picture.close();
      String result =
          ended
              .map(one -> one == RunProgress.Result.FAILED ? "failed" : "succeeded")
              .orElse("running");
      err.println(ReportText.of(follower.report(result, follower.culprits())));
      return result.equals("failed") ? 1 : 0;
    }
  }

  private ObjectNode chosen(Transport transport, String where)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var all = new ApiClient(transport).list(Kinds.JOB_SETS, ListQuery.in(where)).items();
    if (subject != null) {
      String name = subject.startsWith(JOB_SET) ? subject.substring(JOB_SET.length()) : subject;
      return all.stream()
          .filter(one -> name(one).equals(name))
          .findFirst()
          .map(one -> one.put("kind", "JobSet"))
          .orElseThrow(() ->
              new CliFailure(
                  CliFailure.Code.NOT_FOUND,
                  "no JobSet \"%s\" in namespace %s (name another with -n)".formatted(name, where),
                  null));
    }
    var open = all.stream().filter(WatchCommand::isOpen).toList();
    return switch (open.size()) {
      case 1 -> open.getFirst().put("kind", "JobSet");
      case 0 ->
          throw new CliFailure(
              CliFailure.Code.NOT_FOUND,
              "no JobSet runs in namespace %s (name one that has ended: jobset/NAME)"
                  .formatted(where),
              null);
      default ->
          throw new CliFailure(
              CliFailure.Code.USAGE,
              "several JobSets run in namespace %s (name one: %s)"
                  .formatted(
                      where,
                      open.stream()
                          .map(one -> JOB_SET + name(one))
                          .collect(Collectors.joining(", "))),
              null);
    };
  }

  private static boolean isOpen(JsonNode jobSet) {
    return JobSetStatusReader.read(jobSet.path("status")).terminalState().isEmpty();
  }

  private static String name(JsonNode jobSet) {
    return Trees.text(jobSet, "metadata", "name");
  }
}
