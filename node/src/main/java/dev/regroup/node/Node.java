package dev.regroup.node;

import dev.regroup.api.pod.StatusGuard;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.event.EventRecorder.Later;
import dev.regroup.client.event.EventRecorder.Source;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.node.group.Groups;
import dev.regroup.node.group.JobSetGroups;
import dev.regroup.node.image.Images;
import dev.regroup.node.pod.NodeDisk;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodePodReader;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.RestartObserver;
import dev.regroup.node.pod.RestartTelling;
import dev.regroup.node.pod.StartsFirst;
import dev.regroup.node.progress.ProgramWatch;
import dev.regroup.node.report.Heartbeat;
import dev.regroup.node.report.NodeObject;
import dev.regroup.node.service.Services;
import dev.regroup.node.worker.PodWorker;
import dev.regroup.node.worker.PodWorkers;
import dev.regroup.node.worker.RestartCountSeries;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.PodUid;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node: registers itself, follows the pods bound to it and gives each a worker. Starting it again
 * over the same directory adopts every container that still runs; stopping it leaves them running.
 */
public final class Node {

  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** That things stop and start again is told when they have. */
  private static final Later RESTARTS =
      new Later(
          Duration.ofMillis(200),
          Set.of(
              "Killing",
              "RestartingAllContainers",
              "Pulled",
              "Created",
              "Started",
              "AllContainersRestarted"));

  /** More than the grace of pods that were given up, by far: 20 s. */
  private static final Duration ABANDONED = Duration.ofSeconds(20);

  /**
   * What this node is.
   *
   * @param directory kept across restarts, owner-only
   * @param hostIp the address pods and users reach the host at
   * @param maxPods how many pods the scheduler may bind
   * @param images what stands for the images containers name
   * @param declaredFeatures node features other parts may rely on (GATE-15)
   * @param groups ignored when JobSet is left to somebody else
   * @param sharers how many nodes this machine is divided among
   * @param claims where the volumes of claims are; the nodes of one machine share them
   * @param renewal how often the node shows that it is alive
   */
  public record Settings(
      String name,
      Path directory,
      String hostIp,
      int maxPods,
      String version,
      NodeSettings rules,
      Images images,
      RestartTelling telling,
      List<String> declaredFeatures,
      GroupsOfPods groups,
      int sharers,
      Path claims,
      Duration renewal) {

    /** With the groups of pods. */
    public Settings(
        String name,
        Path directory,
        String hostIp,
        int maxPods,
        String version,
        NodeSettings rules,
        Images images,
        RestartTelling telling,
        List<String> declaredFeatures) {
      this(
          name,
          directory,
          hostIp,
          maxPods,
          version,
          rules,
          images,
          telling,
          declaredFeatures,
          GroupsOfPods.FOLLOWED,
          1,
          directory.resolve("claims"),
          Heartbeat.RENEW);
    }

    /** The same node where somebody else looks after JobSets. */
    public Settings withoutGroups() {
      return new Settings(
          name,
          directory,
          hostIp,
          maxPods,
          version,
          rules,
          images,
          telling,
          declaredFeatures,
          GroupsOfPods.IGNORED,
          sharers,
          claims,
          renewal);
    }

    /** The same node as one of several of this machine. */
    public Settings oneOf(int nodes, Path sharedClaims) {
      return new Settings(
          name,
          directory,
          hostIp,
          maxPods,
          version,
          rules,
          images,
          telling,
          declaredFeatures,
          groups,
          nodes,
          sharedClaims,
          renewal);
    }

    /** The same node, heard this often. */
    public Settings renewing(Duration every) {
      return new Settings(
          name,
          directory,
          hostIp,
          maxPods,
          version,
          rules,
          images,
          telling,
          declaredFeatures,
          groups,
          sharers,
          claims,
          every);
    }
  }

  /** Whether the node takes part in the groups of JobSets. */
  public enum GroupsOfPods {
    FOLLOWED,
    IGNORED
  }

  /**
   * What this node works with.
   *
   * @param resolvConf text of {@code /etc/resolv.conf} for a pod
   * @param services what containers are told about; all must be known before the node starts
   */
  public record Ports(
      Transport transport,
      ContainerRuntime runtime,
      InstantSource clock,
      RandomGenerator random,
      RestartObserver observer,
      Metrics metrics,
      CrashPoint crashPoint,
      Function<Pod, String> resolvConf,
      Services services) {

    /**
     * Real time, no observer, no figures, no crash, no services; pods resolve names as the host
     * does.
     */
    public static Ports of(Transport transport, ContainerRuntime runtime) {
      return new Ports(
          transport,
          runtime,
          InstantSource.system(),
          RandomGenerator.getDefault(),
          RestartObserver.NONE,
          Metrics.NONE,
          CrashPoint.NONE,
          HostFacts::resolvConf,
          Services.NONE);
    }
  }

  private final NodeDisk disk;
  private final ProgramWatch programs;
  private final EventRecorder events;
  private final Heartbeat heartbeat;
  private final Groups groups;
  private final ClaimDirectories claims;
  private final PodWorkers workers;
  private final Informer<Optional<NodePod>> pods;
  private final PodLogs logs;
  private final ContainerTalks talks;
  private final NodePages pages;

  private Node(Settings settings, Ports ports) {
    var api = new ApiClient(ports.transport());
    var machine = HostFacts.machine();
    long milliCpus = Runtime.getRuntime().availableProcessors() * 1000L / settings.sharers();
    long memory = HostFacts.memory() / settings.sharers();
    this.disk = new NodeDisk();
    this.programs = new ProgramWatch(ports.clock());
    this.events =
        new EventRecorder(
            ports.transport(), Source.of("kubelet").at(settings.name()), ports.clock(), RESTARTS);
    this.heartbeat =
        new Heartbeat(
            api,
            new NodeObject(
                settings.name(),
                settings.hostIp(),
                milliCpus,
                memory,
                HostFacts.disk(settings.directory()) / settings.sharers(),
                settings.maxPods(),
                settings.version(),
                machine,
                settings.declaredFeatures()),
            ports.clock(),
            settings.renewal());
    var index = new PodWorkers.Index();
    this.groups =
        switch (settings.groups()) {
          case FOLLOWED -> new JobSetGroups(ports.transport(), ports.random(), index::pokeGroup);
          case IGNORED -> Groups.NONE;
        };
    this.claims = new ClaimDirectories(settings.claims(), ports.transport(), ports.random());
    var services =
        new NodeServices(
            settings.name(),
            settings.hostIp(),
            BigDecimal.valueOf(milliCpus, 3).stripTrailingZeros(),
            BigDecimal.valueOf(memory),
            settings.directory(),
            ports.runtime(),
            settings.images(),
            api,
            events,
            new ApiConfigs(api, new ApiTokens(api, ports.clock())),
            claims,
            groups,
            disk,
            ports.clock(),
            ports.observer(),
            ports.metrics(),
            settings.telling(),
            programs,
            new StatusGuard(settings.rules().gates()),
            new StartsFirst(),
            ports.resolvConf(),
            ports.services());
    var setting =
        new PodWorker.Setting(
            settings.rules(),
            ports.clock(),
            ports.random(),
            ports.crashPoint(),
            BugFiles.in(settings.directory().resolve("bugs"), ports.clock()));
    this.workers = new PodWorkers(services, setting, index);
    RestartCountSeries.of(workers::known, ports.metrics());
    var views = new NodePodReader();
    this.pods =
        new Informer<>(
                ports.transport(),
                Kinds.PODS,
                ListQuery.ALL.withFields("spec.nodeName=" + settings.name()),
                views::read,
                ports.random())
            .listen(this::changed)
            .listen(delta -> {
              if (delta instanceof Delta.Removed<Optional<NodePod>>(var before)) {
                views.forget(before.uid());
              }
            });
    this.logs = new PodLogs(ports.runtime(), workers::status);
    this.talks = new ContainerTalks(ports.runtime());
    this.pages = new NodePages(this::shownPods, ports.runtime());
    ports.runtime().onChange(index::poke);
    ports.runtime().onOutput(programs::wrote);
  }

  /**
   * Starts the node and waits until it follows its pods. A node that was away does first what
   * others rely on: what runs of pods that were given up meanwhile ends. Only then is it heard
   * (JS-136).
   *
   * @throws IllegalStateException when the API server did not answer within a minute
   */
  public static Node start(Settings settings, Ports ports) throws InterruptedException {
    var node = new Node(settings, ports);
    node.claims.start();
    node.pods.start();
    if (!node.pods.awaitSynced(PATIENCE) || !node.claims.awaitSynced(PATIENCE)) {
      node.stop();
      throw new IllegalStateException("node " + settings.name() + ": the API server is silent");
    }
    node.workers.removeLeftovers();
    if (!node.workers.awaitEndOfAbandoned(ABANDONED)) {
      LOG.warn("node {}: containers of pods that were given up do not end", settings.name());
    }
    node.heartbeat.start();
    return node;
  }

  /** Something about the disk below the API changed: report at once. Any thread. */
  public void reportNow() {
    heartbeat.poke();
  }

  /** Logs of the pods on this node. */
  public PodLogs logs() {
    return logs;
  }

  /** Talks with the containers on this node. */
  public ContainerTalks talks() {
    return talks;
  }

  /** What this node tells about itself. */
  public NodePages pages() {
    return pages;
  }

  private List<Pod> shownPods() {
    return pods.all().stream().flatMap(item -> item.value().stream()).map(NodePod::pod).toList();
  }

  /** Ends all threads of the node. Containers keep running and are adopted by the next start. */
  public void stop() throws InterruptedException {
    pods.close();
    groups.close();
    workers.stop();
    programs.close();
    claims.stop();
    heartbeat.stop();
    events.close();
    disk.stop();
  }

  private void changed(Delta<Optional<NodePod>> delta) {
    switch (delta) {
      case Delta.Added<Optional<NodePod>>(var item) -> item.value().ifPresent(workers::show);
      case Delta.Updated<Optional<NodePod>>(_, var item) -> item.value().ifPresent(workers::show);
      case Delta.Removed<Optional<NodePod>>(var before) -> // readable or not
          workers.gone(new PodUid(before.uid()), before.key().toString());
    }
  }
}
