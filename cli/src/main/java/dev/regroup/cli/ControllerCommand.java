package dev.regroup.cli;

import dev.regroup.api.Gates;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.cli.cluster.ClusterController;
import dev.regroup.cli.cluster.ControllerFile;
import dev.regroup.cli.cluster.ControllerSettings;
import dev.regroup.cli.cluster.ControllerSettings.Accounts;
import dev.regroup.cli.cluster.ControllerSettings.Manage;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.kubeconfig.KubeAccess;
import dev.regroup.cli.kubeconfig.KubeConfigs;
import dev.regroup.cli.local.HostName;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Logging;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.lease.LeaderLease;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.server.https.ListenerSettings.TlsLimits;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup controller}: JobSets of any Kubernetes cluster, until SIGTERM or Ctrl-C. */
@Command(
    name = "controller",
    description = {
      "Runs the JobSet controller and its webhooks for a Kubernetes cluster.",
      "",
      "'regroup install' starts it inside the cluster. Where the JobSet definition is not"
          + " Regroup's it runs only JobSets with spec.managedBy"
          + " regroup.dev/jobset-controller. What a flag says wins over the file."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:stopped", "1:failed, or no longer the leader", "2:wrong usage"},
    footer = {
      "  regroup controller --config controller.yaml",
      "  regroup controller --kubeconfig ~/.kube/config --webhook-name 192.0.2.7"
    })
final class ControllerCommand implements Callable<Integer> {

  private static final String SERVICE = "regroup-webhook-service";
  private static final String SECRET = "regroup-webhook-server-cert";
  private static final String LEASE = "regroup-controller";
  private static final Pattern ADDRESS = Pattern.compile("(?:(.*):)?(\\d{1,5})");

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A Configuration of config.jobset.x-k8s.io/v1alpha1, JobSet's own kind.")
  @Nullable Path config;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description = "Where its lease and secret are (default: its own, else regroup-system).")
  @Nullable String namespace;

  @Option(
      names = "--metrics-bind-address",
      paramLabel = "ADDRESS",
      description = "Figures over TLS, for who may get /metrics; 0 for nowhere (default: :8443).")
  @Nullable String metrics;

  @Option(
      names = "--health-probe-bind-address",
      paramLabel = "ADDRESS",
      description = "/healthz and /readyz; 0 for nowhere (default: :8081).")
  @Nullable String health;

  @Option(
      names = "--webhook-bind-address",
      paramLabel = "ADDRESS",
      description = "Admission webhooks, over TLS (default: :9443).")
  @Nullable String webhook;

  @Option(
      names = "--webhook-name",
      paramLabel = "HOST",
      description = "One more name or address the certificate is made for; may be repeated.")
  List<String> webhookNames = new ArrayList<>();

  @Option(
      names = "--webhook-cert-dir",
      paramLabel = "DIR",
      description = "tls.crt, tls.key and ca.crt that somebody else keeps.")
  @Nullable Path certificates;

  @Option(
      names = "--leader-elect",
      paramLabel = "true|false",
      arity = "0..1",
      fallbackValue = "true",
      description = "One leader among several replicas (default: true).")
  @Nullable Boolean leaderElect;

  @Option(
      names = "--kube-api-qps",
      paramLabel = "N",
      description = "Requests to the API server in a second (default: 500).")
  @Nullable Double qps;

  @Option(
      names = "--kube-api-burst",
      paramLabel = "N",
      description = "Requests to the API server at once (default: 500).")
  @Nullable Integer burst;

  @Option(
      names = "--manage",
      paramLabel = "auto|all|marked",
      description =
          "Which JobSets: all, or those with spec.managedBy regroup.dev/jobset-controller"
              + " (default: auto, all where the JobSet definition is Regroup's).",
      defaultValue = "auto")
  String manage = "auto";

  @Option(
      names = "--agent-image",
      paramLabel = "IMAGE",
      description = "What agents in pods run (default: ${DEFAULT-VALUE}).",
      defaultValue = AgentSettings.IMAGE)
  String agentImage = AgentSettings.IMAGE;

  @Option(
      names = "--agent-kind",
      paramLabel = "sidecar|process",
      description =
          "The agent of JobSets that name none (default: sidecar where every node can restart all"
              + " containers of a pod, else process).")
  @Nullable String agentKind;

  @Option(
      names = "--agent-accounts",
      paramLabel = "controller|manual",
      description =
          "Who makes the agents' service account in a namespace where a JobSet needs it (default:"
              + " controller).",
      defaultValue = "controller")
  String agentAccounts = "controller";

  @Option(
      names = "--pod-force-fail-after",
      paramLabel = "DURATION",
      description =
          "Pods of groups fail so long after their node became unreachable and are replaced"
              + " elsewhere; off: never (default: off).")
  @Nullable String podForceFailAfter;

  @Option(
      names = "--fail-on-node-unreachable",
      paramLabel = "true|false",
      description = "A group restarts when a node of it is unreachable (default: true).")
  @Nullable String failOnNodeUnreachable;

  @Mixin GateOptions gates = new GateOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Logging.informative();
    PrintWriter err = Screen.err(spec);
    var file = ControllerFile.read(config);
    var access = KubeConfigs.accessHereOr(connection.kubeconfig, connection.context);
    var settings = settings(file, access, err);
    var stopped = new CountDownLatch(1);
    try (var transport = access.open();
        var controller = ClusterController.start(settings, transport)) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    controller.stop();
                    awaitQuietly(stopped); // the lease is given back before the process ends
                  },
                  "shutdown"));
      Screen.out(spec).println("regroup controller is running for " + access.server());
      return controller.await() ? 0 : 1;
    } finally {
      stopped.countDown();
    }
  }

  ControllerSettings settings(ControllerFile file, KubeAccess access, PrintWriter err)
      throws CliFailure {
    String own =
        namespace != null
            ? namespace
            : KubeAccess.isInPod(System.getenv()) ? access.namespace() : "regroup-system";
    return new ControllerSettings(
        own,
        chosenGates(file, err),
        manage(),
        webhook(file),
        address("--metrics-bind-address", metrics, file.text("metrics", "bindAddress"), ":8443"),
        address(
            "--health-probe-bind-address",
            health,
            file.text("health", "healthProbeBindAddress"),
            ":8081"),
        election(file, own),
        certificates(file, own),
        agents(),
        nodeLoss(file),
        rate(file),
        tls(file));
  }

  private Gates chosenGates(ControllerFile file, PrintWriter err) throws CliFailure {
    gates.single = String.join(",", file.gates(), gates.single);
    return gates.gates(err);
  }

  private Manage manage() throws CliFailure {
    return switch (manage) {
      case "auto" -> Manage.AUTO;
      case "all" -> Manage.ALL;
      case "marked" -> Manage.MARKED;
      default -> throw wrong("--manage", manage, "auto, all or marked");
    };
  }

  private ControllerSettings.Agents agents() throws CliFailure {
    if (agentKind != null
        && !Set.of(AgentInjection.SIDECAR, AgentInjection.PROCESS).contains(agentKind)) {
      throw wrong("--agent-kind", agentKind, "sidecar or process");
    }
    var accounts =
        switch (agentAccounts) {
          case "controller" -> Accounts.CONTROLLER;
          case "manual" -> Accounts.ELSEWHERE;
          default -> throw wrong("--agent-accounts", agentAccounts, "controller or manual");
        };
    return new ControllerSettings.Agents(agentImage, Optional.ofNullable(agentKind), accounts);
  }

  /** What {@code up} takes with {@code --set}; when a node is unreachable the cluster decides. */
  private NodeLossSettings nodeLoss(ControllerFile file) throws CliFailure {
    String after = chosen(podForceFailAfter, file.text("podForceFailAfter"), "off");
    String fail = chosen(failOnNodeUnreachable, file.text("failOnNodeUnreachable"), "true");
    var groups =
        switch (fail) {
          case "true" -> NodeLossSettings.Groups.RESTART;
          case "false" -> NodeLossSettings.Groups.WAIT;
          default -> throw wrong("failOnNodeUnreachable", fail, "true or false");
        };
    return new NodeLossSettings(NodeLossSettings.DEFAULT.grace(), forceFail(after), groups);
  }

  private static Optional<Duration> forceFail(String after) throws CliFailure {
    if (after.equals("off")) {
      return Optional.empty();
    }
    try {
      var duration = new DurationText().convert(after);
      if (duration.compareTo(Duration.ofSeconds(1)) >= 0) {
        return Optional.of(duration);
      }
    } catch (CommandLine.TypeConversionException e) {
      // said below
    }
    throw wrong("podForceFailAfter", after, "off or a time of at least 1s");
  }

  private static String chosen(@Nullable String flag, Optional<String> file, String standard) {
    return flag != null ? flag : file.orElse(standard);
  }

  private InetSocketAddress webhook(ControllerFile file) throws CliFailure {
    String given = file.text("webhook", "host").orElse("") + ":";
    given += file.text("webhook", "port").orElse("9443");
    return address("--webhook-bind-address", webhook, Optional.of(given), given)
        .orElseThrow(() -> wrong("--webhook-bind-address", "0", "a port"));
  }

  private ControllerSettings.Certificates certificates(ControllerFile file, String own)
      throws CliFailure {
    var directory =
        Optional.ofNullable(certificates)
            .or(() -> file.text("webhook", "certDir").map(Path::of))
            .or(() -> {
              boolean internal =
                  file.text("internalCertManagement", "enable").orElse("true").equals("true");
              return internal
                  ? Optional.empty()
                  : Optional.of(Path.of("/tmp/k8s-webhook-server/serving-certs"));
            });
    String service = file.text("internalCertManagement", "webhookServiceName").orElse(SERVICE);
    var names = new LinkedHashSet<String>();
    names.add(service + "." + own + ".svc");
    names.add(service + "." + own + ".svc.cluster.local");
    names.addAll(webhookNames);
    return new ControllerSettings.Certificates(
        directory,
        file.text("internalCertManagement", "webhookSecretName").orElse(SECRET),
        names,
        ControllerSettings.Lives.STANDARD);
  }

  private ControllerSettings.Election election(ControllerFile file, String own) throws CliFailure {
    boolean wanted =
        leaderElect != null
            ? leaderElect
            : file.text("leaderElection", "leaderElect").orElse("true").equals("true");
    var standard = LeaderLease.Times.STANDARD;
    try {
      var times =
          new LeaderLease.Times(
              time(file, "leaseDuration", standard.duration()),
              time(file, "renewDeadline", standard.deadline()),
              time(file, "retryPeriod", standard.retry()));
      return new ControllerSettings.Election(
          wanted ? Optional.of(times) : Optional.empty(),
          file.text("leaderElection", "resourceNamespace").orElse(own),
          file.text("leaderElection", "resourceName").orElse(LEASE),
          identity());
    } catch (IllegalArgumentException | CommandLine.TypeConversionException e) {
      throw new CliFailure(CliFailure.Code.USAGE, "leaderElection: " + e.getMessage(), e);
    }
  }

  private static Duration time(ControllerFile file, String field, Duration standard) {
    return file.text("leaderElection", field)
        .map(text -> new DurationText().convert(text))
        .orElse(standard);
  }

  /** As Kubernetes' own components: the host's name, and what tells two starts on it apart. */
  private static String identity() {
    return HostName.get() + "_" + UUID.randomUUID();
  }

  private ControllerSettings.Rate rate(ControllerFile file) throws CliFailure {
    try {
      double perSecond =
          qps != null
              ? qps
              : Double.parseDouble(file.text("clientConnection", "qps").orElse("500"));
      int atOnce =
          burst != null
              ? burst
              : Integer.parseInt(file.text("clientConnection", "burst").orElse("500"));
      if (perSecond > 0 && atOnce > 0) {
        return new ControllerSettings.Rate(perSecond, atOnce);
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new CliFailure(
        CliFailure.Code.USAGE, "--kube-api-qps and --kube-api-burst are numbers above 0", null);
  }

  private static TlsLimits tls(ControllerFile file) throws CliFailure {
    var suites = file.texts("tls", "cipherSuites");
    String least = file.text("tls", "minVersion").orElse("VersionTLS12");
    var protocols =
        switch (least) {
          case "VersionTLS12" -> List.of("TLSv1.2", "TLSv1.3");
          case "VersionTLS13" -> List.of("TLSv1.3");
          default -> throw wrong("tls.minVersion", least, "VersionTLS12 or VersionTLS13");
        };
    if (!suites.isEmpty() && protocols.size() == 1) {
      throw new CliFailure(
          CliFailure.Code.USAGE, "tls.cipherSuites: cannot be chosen with TLS 1.3 (JS-171)", null);
    }
    return new TlsLimits(protocols, suites);
  }

  /** {@code :8443}, {@code 127.0.0.1:8443}, or {@code 0} for nowhere. */
  private static Optional<InetSocketAddress> address(
      String flag, @Nullable String given, Optional<String> inFile, String standard)
      throws CliFailure {
    String text = given != null ? given : inFile.orElse(standard);
    if (text.equals("0")) {
      return Optional.empty();
    }
    var parts = ADDRESS.matcher(text.toLowerCase(Locale.ROOT));
    if (!parts.matches() || Integer.parseInt(parts.group(2)) > 65_535) {
      throw wrong(flag, text, "an IP address with a port, :PORT or 0");
    }
    String host = parts.group(1) == null ? "" : parts.group(1).replaceAll("[\\[\\]]", "");
    try {
      int port = Integer.parseInt(parts.group(2));
      return Optional.of(
          host.isEmpty()
              ? new InetSocketAddress(port) // all of this machine's
              : new InetSocketAddress(InetAddress.ofLiteral(host), port));
    } catch (IllegalArgumentException e) {
      throw wrong(flag, text, "an IP address with a port, :PORT or 0");
    }
  }

  private static CliFailure wrong(String flag, @Nullable String value, String allowed) {
    return new CliFailure(
        CliFailure.Code.USAGE, "%s is %s, not \"%s\"".formatted(flag, allowed, value), null);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
