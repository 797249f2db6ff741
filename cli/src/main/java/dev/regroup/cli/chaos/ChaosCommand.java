package dev.regroup.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetStatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.ExecClient;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.live.LiveScreen;
import dev.regroup.cli.local.DataDirectory;
import dev.regroup.cli.report.ReportText;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.run.PlainScreen;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.cli.run.RunProgress;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup chaos}: hurts the workers of a JobSet that runs, and tells what it cost. */
@Command(
    name = "chaos",
    description = {
      "Hurts the workers of a JobSet on purpose and reports what it cost.",
      "",
      "A plan says what is done to whom: kill, terminate, stop, fill (its memory), cut (its"
          + " network), delete or evict, with 'after TIME' or 'at step N', and for stop and cut"
          + " 'for TIME'. Times count from when all workers run. Each deed is said before it is"
          + " done. It is over when the plan is done and all workers run again, or the JobSet has"
          + " ended.",
      "",
      "kill, stop, fill and cut need the cluster that 'up' runs on this machine, and root. On"
          + " other clusters they go through a command inside the container where that is"
          + " possible, and are refused where not. 'regroup run --chaos' does it to a run."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:all was done, and it runs again or succeeded",
      "1:the JobSet failed, or something could not be done",
      "2:wrong usage",
      "3:no such JobSet",
      "4:not over within --timeout"
    },
    footer = {
      "  regroup chaos jobset/training --plan 'kill worker 2 after 10s'",
      "  regroup chaos jobset/training --plan 'stop worker 0; cut worker 1 for 5s'",
      "  regroup chaos jobset/training --plan @plan.txt",
      "  regroup chaos jobset/training --seed 7 --count 5 --over 60s"
    })
public final class ChaosCommand implements Callable<Integer> {

  @Parameters(paramLabel = "jobset/NAME", description = "What to hurt.")
  String subject = "";

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description = "What to do, deeds with ; between them; @FILE: one on each line of a file.")
  @Nullable String plan;

  @Option(names = "--seed", paramLabel = "N", description = "Draw the deeds: the same, the same.")
  @Nullable Long seed;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "5",
      description = "How many are drawn (default: 5).")
  int count = 5;

  @Option(
      names = "--over",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "60s",
      description = "The time they are spread over (default: 60s).")
  Duration over = Duration.ofSeconds(60);

  @Option(
      names = "--actions",
      split = ",",
      paramLabel = "ACTION",
      description = "To draw from (default: kill,terminate,delete).")
  List<String> actions = List.of();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "10m",
      description = "End with 4 when it is not over by then (default: 10m).")
  Duration timeout = Duration.ofMinutes(10);

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Of the JobSet (default: that of the kubeconfig's context).")
  @Nullable String namespace;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = {"The local cluster's directory", "(default: ~/.local/state/regroup)."})
  @Nullable Path dataDirectory;

  @Option(names = "--plain", description = "Line by line, also in a terminal.")
  boolean plain;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    var chosen = plan();
    var access = connection.access();
    var target =
        Target.of(
            subject.contains("/") ? subject : "jobset/" + subject,
            namespace == null ? access.namespace() : namespace);
    if (target.kind() != Target.Kind.JOB_SET) {
      throw wrong("\"%s\" is no JobSet (write jobset/NAME)".formatted(subject));
    }
    try (var transport = access.open()) {
      InterruptSignals.interrupting(Thread.currentThread());
      var jobSet =
          new ApiClient(transport)
              .get(Kinds.JOB_SETS, target.key())
              .orElseThrow(() ->
                  new CliFailure(
                      CliFailure.Code.NOT_FOUND,
                      "no JobSet \"%s\" in namespace %s (name another with -n)"
                          .formatted(target.key().name(), target.key().namespace()),
                      null));
      String ended = JobSetStatusReader.read(jobSet.path("status")).terminalState();
      if (!ended.isEmpty()) {
        throw new CliFailure("%s has ended (%s)".formatted(target, ended));
      }
      return hurt(transport, jobSet.put("kind", "JobSet"), chosen);
    } catch (ApiFailure e) {
      throw ConnectionOptions.refusal(e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    }
  }

  private ChaosPlan plan() throws CliFailure {
    if ((plan == null) == (seed == null)) {
      throw wrong("--plan or --seed: name exactly one of them");
    }
    if (plan != null) {
      return ChaosOption.read(plan);
    }
    var harms = new ArrayList<Harm>();
    for (String action : actions) {
      harms.add(
          Harm.of(action)
              .orElseThrow(() ->
                  wrong("--actions: \"%s\": no such action (%s)".formatted(action, Harm.all()))));
    }
    return PlanText.random(seed, count, over, harms);
  }

  /** A command in a container; what it writes is nobody's concern. */
  private static HarmRoads.Inside inside(HttpsTransport transport) {
    return (pod, container, command) ->
        new ExecClient(transport)
            .run(
                new ExecClient.Call(
                    pod,
                    container,
                    command,
                    null,
                    null,
                    OutputStream.nullOutputStream(),
                    OutputStream.nullOutputStream()));
  }

  private int hurt(HttpsTransport transport, ObjectNode jobSet, ChaosPlan chosen)
      throws CliFailure, InterruptedException {
    var created = Trees.time(jobSet, "metadata", "creationTimestamp");
    var began = created == null ? Instant.now() : created;
    var self = Thread.currentThread();
    boolean live = !plain && LiveScreen.isPossible();
    var err = Screen.err(spec);
    try (var picture = LiveScreen.ofWatch(began, self::interrupt);
        var hurt =
            new RunChaos(
                Optional.of(chosen), live ? picture : new PlainScreen(Screen.logs(spec), err));
        var follower =
            RunFollower.of(transport, hurt.screen(), jobSet, began, RandomGenerator.getDefault())) {
      var objects = List.<JsonNode>of(jobSet);
      hurt.start(
          objects,
          follower,
          new HarmRoads(transport, DataDirectory.of(dataDirectory), Optional.of(inside(transport))),
          self::interrupt);
      if (live) {
        picture.open(follower::view);
      }
      Optional<RunProgress.Result> ended = Optional.empty();
      boolean late = false;
      try {
        ended = follower.follow(objects, Optional.of(timeout.plus(since(began))));
        late = ended.isEmpty();
      } catch (InterruptedException e) {
        late = false; // it is done, or somebody leaves
      }
      hurt.close();
      picture.close();
      String result =
          ended
              .map(one -> one == RunProgress.Result.FAILED ? "failed" : "succeeded")
              .orElse(late ? "timedOut" : "running");
      err.println(
          ReportText.of(
              hurt.addTo(
                  follower.report(result, late ? follower.waitingFor() : follower.culprits()))));
      return code(result, hurt.isDone());
    }
  }

  private static Duration since(Instant began) {
    return Duration.between(began, Instant.now());
  }

  private static int code(String result, boolean done) {
    return switch (result) {
      case "failed" -> CliFailure.Code.FAILED.number();
      case "timedOut" -> CliFailure.Code.TIMED_OUT.number();
      default -> done ? 0 : CliFailure.Code.FAILED.number();
    };
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
