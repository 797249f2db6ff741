package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.cluster.ClusterController;
import dev.regroup.cli.deploy.InstallSettings;
import dev.regroup.cli.group.GroupReport;
import dev.regroup.cli.group.GroupText;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup status}: where groups stand. */
@Command(
    name = "status",
    description = {
      "Shows where JobSets stand: attempt, barrier, budget, restarts.",
      "",
      "With a name: who is missing at the barrier and why, and the last restarts. Without: one line"
          + " for each JobSet, and what the cluster can do, as its controller says."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:shown", "1:failed", "2:wrong usage", "3:not found"},
    footer = {
      "  regroup status",
      "  regroup status jobset/training",
      "  regroup status jobset/training -o json"
    })
final class StatusCommand implements Callable<Integer> {

  private static final String LEASE = "regroup-controller";

  @Parameters(paramLabel = "jobset/NAME", arity = "0..1", description = "One JobSet.")
  @Nullable String target;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"--namespace", "-n"},
      paramLabel = "NAME",
      description = "Where it is (default: the context's; without a name: all).")
  @Nullable String namespace;

  @Option(
      names = "--controller-namespace",
      paramLabel = "NAME",
      description = "Where the controller runs (default: ${DEFAULT-VALUE}).",
      defaultValue = InstallSettings.NAMESPACE)
  String controllerNamespace = InstallSettings.NAMESPACE;

  @Mixin OutputOption output = new OutputOption();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    var access = KubeConfigs.access(connection.kubeconfig, connection.context);
    try (var transport = access.open()) {
      var client = new ApiClient(transport);
      if (target == null) {
        all(client);
      } else {
        one(client, Target.of(target, namespace == null ? access.namespace() : namespace));
      }
    } catch (ApiFailure e) {
      throw new CliFailure(String.valueOf(e.getMessage()), e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    }
    return 0;
  }

  private void one(ApiClient client, Target chosen)
      throws ApiFailure, Transport.Unreachable, InterruptedException, CliFailure {
    if (chosen.kind() != Target.Kind.JOB_SET) {
      throw new CliFailure(
          CliFailure.Code.USAGE, "status is of jobset/NAME (of a pod: kubectl describe)", null);
    }
    var jobSet =
        client
            .get(Kinds.JOB_SETS, chosen.key())
            .orElseThrow(() ->
                new CliFailure(
                    CliFailure.Code.NOT_FOUND,
                    "%s: not found in namespace \"%s\"".formatted(chosen, chosen.key().namespace()),
                    null));
    var report = report(client, jobSet);
    if (output.isText()) {
      GroupText.lines(report, Instant.now()).forEach(Screen.out(spec)::println);
    } else {
      output.print(Screen.out(spec), report.json());
    }
  }

  private void all(ApiClient client)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var query = namespace == null ? ListQuery.ALL : ListQuery.in(namespace);
    var reports = new ArrayList<GroupReport>();
    for (var jobSet : client.list(Kinds.JOB_SETS, query).items()) {
      reports.add(report(client, jobSet));
    }
    var controller = controller(client);
    if (!output.isText()) {
      var tree = Wire.object();
      controller.ifPresent(facts -> tree.set("controller", facts));
      var list = tree.putArray("jobSets");
      reports.forEach(report -> list.add(report.json()));
      output.print(Screen.out(spec), tree);
      return;
    }
    controller.ifPresent(facts -> Screen.err(spec).println("regroup: " + sentence(facts)));
    GroupText.table(reports).forEach(Screen.out(spec)::println);
  }

  private static GroupReport report(ApiClient client, ObjectNode jobSet)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var pods =
        ListQuery.in(Trees.text(jobSet, "metadata", "namespace"))
            .withLabels(GroupReport.selector(Trees.text(jobSet, "metadata", "name")));
    return GroupReport.of(jobSet, client.list(Kinds.PODS, pods).items());
  }

  /** What the leader has noted on its lease; none on a local cluster. */
  private Optional<ObjectNode> controller(ApiClient client)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var lease = client.get(Kinds.LEASES, new ObjectKey(controllerNamespace, LEASE));
    if (lease.isEmpty()) {
      return Optional.empty();
    }
    var noted = Trees.text(lease.get(), "metadata", "annotations", ClusterController.ABILITIES);
    try {
      var facts = noted.isEmpty() ? Wire.object() : Wire.tree(noted);
      facts.put("leader", Trees.text(lease.get(), "spec", "holderIdentity"));
      return Optional.of(facts);
    } catch (UncheckedIOException e) {
      return Optional.empty(); // nothing of ours
    }
  }

  private static String sentence(ObjectNode facts) {
    return "controller %s, leader %s, manages %s JobSets; Kubernetes %s, %d of %d nodes restart all containers, agents are of kind %s"
        .formatted(
            Trees.text(facts, "controllerVersion"),
            Trees.text(facts, "leader").isEmpty() ? "none" : Trees.text(facts, "leader"),
            Trees.text(facts, "manages"),
            Trees.text(facts, "serverVersion"),
            Trees.integer(facts, "nodesThatRestartAllContainers").orElse(0),
            Trees.integer(facts, "nodes").orElse(0),
            Trees.text(facts, "agentKind"));
  }
}
