package dev.regroup.cli.cluster;

import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.api.jobset.JobSetCharge;
import dev.regroup.api.jobset.JobSetDefinition;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.figure.FigureKeeper;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.ProgramVersion;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.lease.LeaderLease;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.pace.PacedTransport;
import dev.regroup.client.queue.Ticker;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.Controllers;
import dev.regroup.control.jobset.AgentAccounts;
import dev.regroup.control.jobset.JobSetPlace;
import dev.regroup.control.jobset.NamespaceAccounts;
import dev.regroup.server.callee.AdmissionEndpoint;
import dev.regroup.server.callee.HealthListener;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller of a cluster, wired by hand: health pages first, then what admission needs, the
 * webhook, figures, and the JobSet controller where this replica leads. Stopped in the reverse: the
 * controller ends before the lease is given back, so no two ever run. A replica that loses its
 * lease ends as a whole, and whoever runs it starts it again.
 */
public final class ClusterController implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterController.class);

  /** Annotation of the lease: what this cluster can do, for {@code regroup status}. */
  public static final String ABILITIES = "regroup.dev/abilities";

  private final ControllerSettings settings;
  private final Transport transport;
  private final Metrics metrics = new FigureKeeper();
  private final RandomGenerator random = new SecureRandom();
  private final Deque<Runnable> stops = new ArrayDeque<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private final String serverVersion;
  private final JobSetCharge charge;
  private final ClusterWatch watch;
  private final WebhookListener webhook;
  private volatile @Nullable Controllers controllers;
  private int healthPort;
  private volatile boolean lost;
  private volatile boolean stopping;

  private ClusterController(ControllerSettings settings, Transport raw)
      throws CliFailure, InterruptedException {
    this.settings = settings;
    this.transport =
        new PacedTransport(
            raw,
            new PacedTransport.Manners(
                settings.rate().perSecond(),
                settings.rate().burst(),
                64,
                "regroup-controller/" + ProgramVersion.number()));
    this.serverVersion = version();
    this.charge = charge();
    this.webhook = new WebhookListener(settings);
    this.watch = new ClusterWatch(transport, random, metrics);
    stops.push(watch::close);
    try {
      serve();
      lead();
    } catch (IOException e) {
      close();
      throw new CliFailure(e.getMessage() + " (choose another address)", e);
    }
  }

  /**
   * Starts all parts.
   *
   * @param transport stays the caller's
   */
  public static ClusterController start(ControllerSettings settings, Transport transport)
      throws CliFailure, InterruptedException {
    return new ClusterController(settings, transport);
  }

  /** Where the health pages are; 0 for nowhere. */
  int healthPort() {
    return healthPort;
  }

  /** Waits until it is to end; false when it lost the lease and has to. */
  public boolean await() throws InterruptedException {
    end.await();
    return !lost;
  }

  /** Has {@link #await} return. Any thread. */
  public void stop() {
    end.countDown();
  }

  @Override
  public void close() {
    stopping = true;
    while (!stops.isEmpty()) {
      stops.pop().run();
    }
  }

  private String version() throws CliFailure, InterruptedException {
    try {
      var answer = transport.send(Request.get("/version", ""));
      if (!answer.ok()) {
        throw new CliFailure("the API server refuses /version: " + answer.status());
      }
      return Trees.text(Wire.tree(answer.body()), "gitVersion");
    } catch (IOException e) {
      throw new CliFailure("the API server does not answer: " + e.getMessage(), e);
    }
  }

  private JobSetCharge charge() throws CliFailure, InterruptedException {
    var chosen =
        switch (settings.manage()) {
          case AUTO -> ServedDefinition.charge(transport);
          case ALL -> JobSetCharge.ALL;
          case MARKED -> JobSetCharge.MARKED;
        };
    switch (chosen) {
      case ALL -> LOG.info("runs all JobSets of this cluster");
      case MARKED ->
          LOG.info(
              "the JobSet definition is not Regroup's: runs only JobSets with spec.managedBy"
                  + " regroup.dev/jobset-controller");
    }
    return chosen;
  }

  private void serve() throws IOException {
    if (settings.health().isPresent()) {
      var health =
          HealthListener.start(
              settings.health().get(),
              Map.of("/healthz", Optional::empty, "/readyz", this::missing));
      stops.push(health::close);
      healthPort = health.port();
      LOG.info("health pages on port {}", health.port());
    }
    var admission = new ClusterAdmission(settings.gates(), charge, this::agents);
    var lookup = new ClusterLookup(new ApiClient(transport), watch);
    webhook.serve(
        new AdmissionEndpoint(admission.links(), lookup),
        settings.metrics().map(_ -> new MetricsEndpoint(metrics, transport, Ticker.SYSTEM)));
    stops.push(webhook::close);
    var keeper =
        new WebhookKeeper(
            transport,
            settings.namespace(),
            settings.certificates(),
            InstantSource.system(),
            random,
            webhook);
    stops.push(keeper::close);
  }

  /** What keeps this replica from answering reviews. */
  private Optional<String> missing() {
    if (stopping) {
      return Optional.of("stopping");
    }
    if (!webhook.listening()) {
      return Optional.of("the webhook has no certificate yet");
    }
    var running = controllers;
    boolean known = watch.synced() && (running == null || running.synced());
    return known ? Optional.empty() : Optional.of("the caches are not full yet");
  }

  private AgentSettings agents() {
    var agents = settings.agents();
    return new AgentSettings(
        agents.kind().orElseGet(() -> watch.abilities(serverVersion).agentKind()),
        agents.image(),
        AgentSettings.COMMAND);
  }

  private void lead() {
    var election = settings.election();
    if (election.times().isEmpty()) {
      startControllers();
      stops.push(this::stopControllers);
      return;
    }
    var lease =
        new LeaderLease(
            transport,
            new LeaderLease.Candidate(
                new ObjectKey(election.namespace(), election.name()),
                election.identity(),
                election.times().get(),
                Map.of(JobSetDefinition.PART_OF, "regroup"),
                this::notes),
            new LeaderLease.Listener() {
              @Override
              public void elected() {
                startControllers();
              }

              @Override
              public void lost() {
                lost = true;
                stop();
              }
            },
            InstantSource.system(),
            Ticker.SYSTEM);
    stops.push(lease::close);
    stops.push(this::stopControllers); // before the lease is given back
  }

  private Map<String, String> notes() {
    if (!watch.synced()) {
      return Map.of();
    }
    var abilities = watch.abilities(serverVersion).json();
    abilities.put("controllerVersion", ProgramVersion.number());
    abilities.put("manages", charge == JobSetCharge.ALL ? "all" : "marked");
    return Map.of(ABILITIES, Wire.text(abilities));
  }

  private synchronized void startControllers() {
    if (stopping) {
      return;
    }
    try {
      watch.awaitSynced();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    LOG.info("{}", watch.abilities(serverVersion).sentence());
    AgentAccounts accounts =
        switch (settings.agents().accounts()) {
          case CONTROLLER -> new NamespaceAccounts(transport, Ticker.SYSTEM);
          case ELSEWHERE -> AgentAccounts.ELSEWHERE;
        };
    controllers =
        Controllers.start(
            _ -> transport,
            new Controllers.Settings(settings.gates(), InstantSource.system(), random)
                .keeping(metrics, BugFiles.NONE)
                .crashing(CrashPoint.ofEnvironment())
                .losing(settings.nodeLoss())
                .in(new JobSetPlace(charge, this::agents, accounts)),
            parts());
  }

  /** Pods of lost nodes are the cluster's affair unless the user says otherwise (JS-136). */
  private EnumSet<Controllers.Part> parts() {
    return settings.nodeLoss().podForceFailAfter().isPresent()
        ? EnumSet.of(Controllers.Part.JOB_SETS, Controllers.Part.LOST_PODS)
        : EnumSet.of(Controllers.Part.JOB_SETS);
  }

  private synchronized void stopControllers() {
    var running = controllers;
    if (running != null) {
      running.close();
      controllers = null;
    }
  }
}
