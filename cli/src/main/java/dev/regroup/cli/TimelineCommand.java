package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.report.ReportFolder;
import dev.regroup.cli.report.ReportText;
import dev.regroup.cli.report.ReportTrace;
import dev.regroup.cli.run.ClusterReport;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup timeline}: a report again, from its file or from a cluster. */
@Command(
    name = "timeline",
    description = {
      "Shows what restarts cost: of a run that is over, or of a JobSet in a cluster.",
      "",
      "A run leaves a folder with report.json; name the folder or the file. jobset/NAME asks the"
          + " cluster of your kubeconfig, whose pods tell of their newest ten restarts."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:no such report or JobSet"},
    footer = {
      "  regroup timeline out/report.json",
      "  regroup timeline jobset/training",
      "  regroup timeline -o trace out > trace.json   # opens in Perfetto"
    })
final class TimelineCommand implements Callable<Integer> {

  /** How a report is shown. */
  enum Form {
    text,
    json,
    trace
  }

  private static final String JOB_SET = "jobset/";

  @Parameters(paramLabel = "FILE|jobset/NAME", description = "What to show.")
  String subject = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json|trace",
      defaultValue = "text",
      description = "As text, as report.json, or as a Chrome trace (default: text).")
  Form form = Form.text;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Of the JobSet (default: that of the kubeconfig's context).")
  @Nullable String namespace;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    var report =
        subject.startsWith(JOB_SET)
            ? fromCluster(subject.substring(JOB_SET.length()))
            : ReportFolder.read(Path.of(subject));
    var out = Screen.out(spec);
    out.println(
        switch (form) {
          case text -> ReportText.of(report);
          case json -> report.toPrettyString();
          case trace -> ReportTrace.of(report).toString();
        });
    return 0;
  }

  private ObjectNode fromCluster(String name) throws CliFailure, InterruptedException {
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    try (var transport = access.open()) {
      String where = namespace == null ? access.namespace() : namespace;
      return ClusterReport.of(transport, new ObjectKey(where, name), Instant.now())
          .orElseThrow(() ->
              new CliFailure(
                  CliFailure.Code.NOT_FOUND,
                  "no JobSet \"%s\" in namespace %s (name another with -n)".formatted(name, where),
                  null));
    } catch (ApiFailure e) {
      throw ConnectionOptions.refusal(e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    }
  }
}
