package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.run.LogLines;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.QueryString;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup logs}: what a pod, or every worker of a JobSet, has written. */
@Command(
    name = "logs",
    description = {
      "Shows the output of a pod, or of all pods of a JobSet with their names in front.",
      "",
      "Control characters of containers are made visible; colours stay."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:not found"},
    footer = {
      "  regroup logs training-worker-0-0-x7k2p",
      "  regroup logs -f jobset/training",
      "  regroup logs --previous --tail 20 pod/training-worker-0-0-x7k2p"
    })
public final class LogsCommand implements Callable<Integer> {

  @Parameters(paramLabel = "POD|jobset/NAME", description = "Whose output.")
  String subject = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Go on as it writes more.")
  boolean follow;

  @Option(
      names = {"-c", "--container"},
      paramLabel = "NAME",
      description = "Of this container (default: the first).")
  String container = "";

  @Option(
      names = {"-p", "--previous"},
      description = "Of the run before this one.")
  boolean previous;

  @Option(names = "--tail", paramLabel = "N", description = "The last lines only.")
  @Nullable Integer tail;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      converter = DurationText.class,
      description = "Not older than this, such as 5m.")
  @Nullable Duration since;

  @Option(names = "--timestamps", description = "With the time of each line.")
  boolean timestamps;

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    return options.with(this::show);
  }

  private int show(Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var target = Target.of(subject.contains("/") ? subject : "pod/" + subject, session.namespace());
    var client = new ApiClient(session.transport());
    var out = Screen.logs(spec);
    if (target.kind() == Target.Kind.POD) {
      var pod =
          client
              .get(Kinds.PODS, target.key())
              .orElseThrow(() -> notFound("pods \"%s\" not found".formatted(target.key().name())));
      copy(session.transport(), pod, "", out);
      return 0;
    }
    if (client.get(Kinds.JOB_SETS, target.key()).isEmpty()) {
      throw notFound("jobsets \"%s\" not found".formatted(target.key().name()));
    }
    var pods =
        client
            .list(
                Kinds.PODS,
                ListQuery.in(session.namespace())
                    .withLabels(JobSetKeys.JOBSET_NAME + "=" + target.key().name()))
            .items();
    together(session.transport(), List.copyOf(pods), out);
    return 0;
  }

  /** One after the other, or side by side while they go on. */
  private void together(Transport transport, List<JsonNode> pods, PrintWriter out)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (!follow) {
      for (var pod : pods) {
        copy(transport, pod, prefix(pod), out);
      }
      return;
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var copies = new ArrayList<Future<Object>>();
      for (var pod : pods) {
        copies.add(
            threads.submit(() -> {
              copy(transport, pod, prefix(pod), out);
              return pod;
            }));
      }
      for (var copy : copies) {
        copy.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ApiFailure failure) {
        throw failure;
      }
      if (e.getCause() instanceof Transport.Unreachable failure) {
        throw failure;
      }
      throw new IllegalStateException("a log could not be copied", e.getCause());
    }
  }

  private static String prefix(JsonNode pod) {
    return Trees.textIfPresent(pod, "spec", "hostname").orElse(Trees.text(pod, "metadata", "name"))
        + " | ";
  }

  private void copy(Transport transport, JsonNode pod, String prefix, PrintWriter out)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key =
        new ObjectKey(
            Trees.text(pod, "metadata", "namespace"), Trees.text(pod, "metadata", "name"));
    String first =
        Trees.objects(pod, "spec", "containers").stream()
            .map(one -> Trees.text(one, "name"))
            .findFirst()
            .orElse("");
    var query =
        new QueryString()
            .add("container", container.isEmpty() ? first : container)
            .add("follow", follow ? "true" : "")
            .add("previous", previous ? "true" : "")
            .add("timestamps", timestamps ? "true" : "")
            .add("tailLines", tail == null ? "" : "" + tail)
            .add("sinceSeconds", since == null ? "" : "" + Math.max(1, since.toSeconds()));
    var lines =
        new LogLines(line -> {
          synchronized (this) {
            out.println(prefix + line);
          }
        });
    try (var stream = transport.open(Request.get(Kinds.PODS.path(key, "log"), query.toString()))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        if (stream.status() != 200) {
          throw ApiFailure.of(stream.status(), frame);
        }
        var _ = lines.take(frame);
      }
    } finally {
      lines.finish();
    }
  }

  private static CliFailure notFound(String words) {
    return new CliFailure(CliFailure.Code.NOT_FOUND, words, null);
  }
}
