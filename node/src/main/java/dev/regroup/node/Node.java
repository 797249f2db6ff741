package dev.regroup.node;

import dev.regroup.api.pod.StatusGuard;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.event.EventRecorder.Source;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
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
import dev.regroup.node.report.Heartbeat;
import dev.regroup.node.report.NodeObject;
import dev.regroup.node.service.Services;
import dev.regroup.node.worker.PodWorker;
import dev.regroup.node.worker.PodWorkers;
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
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * A node: registers itself, follows the pods bound to it and gives each a worker. Starting it again
 * over the same directory adopts every container that still runs; stopping it leaves them running.
 */
public final class Node {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * What this node is.
   *
   * @param directory kept across restarts, owner-only
   * @param hostIp the address pods and users reach the host at
   * @param maxPods how many pods the scheduler may bind
   * @param images what stands for the images containers name
   * @param declaredFeatures node features other parts may rely on (GATE-15)
   * @param groups ignored when JobSet is left to somebody else
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
      GroupsOfPods groups) {

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
          GroupsOfPods.FOLLOWED);
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
          GroupsOfPods.IGNORED);
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
      CrashPoint crashPoint,
      Function<Pod, String> resolvConf,
      Services services) {

    /** Real time, no observer, no crash, no services; pods resolve names as the host does. */
    public static Ports of(Transport transport, ContainerRuntime runtime) {
      return new Ports(
          transport,
          runtime,
          InstantSource.system(),
          RandomGenerator.getDefault(),
          RestartObserver.NONE,
          CrashPoint.NONE,
          HostFacts::resolvConf,
          Services.NONE);
    }
  }

  private final NodeDisk disk;
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
    int cpus = Runtime.getRuntime().availableProcessors();
    long memory = HostFacts.memory();
    this.disk = new NodeDisk();
    this.events =
        new EventRecorder(
            ports.transport(), Source.of("kubelet").at(settings.name()), ports.clock());
    this.heartbeat =
        new Heartbeat(
            api,
            new NodeObject(
                settings.name(),
                settings.hostIp(),
                cpus,
                memory,
                HostFacts.disk(settings.directory()),
                settings.maxPods(),
                settings.version(),
                machine,
                settings.declaredFeatures()),
            ports.clock());
    var index = new PodWorkers.Index();
    this.groups =
        switch (settings.groups()) {
          case FOLLOWED -> new JobSetGroups(ports.transport(), ports.random(), index::pokeGroup);
          case IGNORED -> Groups.NONE;
        };
    this.claims =
        new ClaimDirectories(
            settings.directory().resolve("claims"), ports.transport(), ports.random());
    var services =
        new NodeServices(
            settings.name(),
            settings.hostIp(),
            BigDecimal.valueOf(cpus),
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
            settings.telling(),
            new StatusGuard(settings.rules().gates()),
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
  }

  /**
   * Starts the node and waits until it follows its pods.
   *
   * @throws IllegalStateException when the API server did not answer within a minute
   */
  public static Node start(Settings settings, Ports ports) throws InterruptedException {
    var node = new Node(settings, ports);
    node.heartbeat.start();
    node.claims.start();
    node.pods.start();
    if (!node.pods.awaitSynced(PATIENCE) || !node.claims.awaitSynced(PATIENCE)) {
      node.stop();
      throw new IllegalStateException("node " + settings.name() + ": the API server is silent");
    }
    node.workers.removeLeftovers();
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
