package dev.regroup.cli.local;

import dev.regroup.api.Gates;
import dev.regroup.cli.figure.FigureKeeper;
import dev.regroup.cli.image.AgentFolder;
import dev.regroup.cli.image.BusyboxFolder;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.ProgramVersion;
import dev.regroup.cli.screen.Reason;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.Controllers;
import dev.regroup.control.jobset.JobSetPlace;
import dev.regroup.node.Node;
import dev.regroup.node.image.AgentOnHost;
import dev.regroup.node.image.BusyboxOnHost;
import dev.regroup.node.image.Images;
import dev.regroup.node.pod.RestartFigures;
import dev.regroup.node.pod.RestartObserver;
import dev.regroup.node.service.Services;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import dev.regroup.runtime.embedded.Isolation;
import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.server.AdminCredentials;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.JobSets;
import dev.regroup.store.DataDirectoryInUse;
import dev.regroup.store.StoreFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All parts in one process, wired by hand: API server, controllers, network, DNS, runtime, node.
 * They are started in the order they need each other and stopped in the reverse. Stopping leaves
 * containers running for the next start over the same directory; {@link #endEverything} ends them.
 */
public final class LocalCluster implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);

  private static final int MAX_PODS = 10_000;

  /**
   * How a cluster is started.
   *
   * @param port of the loopback address; 0 takes a free one
   * @param secrets files containers must not see: whoever reads one may do everything
   * @param nodes how many nodes; empty for as many as the directory has, one in a new one
   */
  public record Settings(
      Path directory,
      int port,
      Gates gates,
      Switches switches,
      List<Path> secrets,
      JobSets jobSets,
      OptionalInt nodes) {
    public Settings {
      secrets = List.copyOf(secrets);
    }

    /** With JobSet built in. */
    public Settings(Path directory, int port, Gates gates, Switches switches, List<Path> secrets) {
      this(directory, port, gates, switches, secrets, JobSets.BUILT_IN, OptionalInt.empty());
    }

    /** The same with JobSet built in or left to somebody else. */
    public Settings with(JobSets choice) {
      return new Settings(directory, port, gates, switches, secrets, choice, nodes);
    }

    /** The same with so many nodes. */
    public Settings with(OptionalInt count) {
      return new Settings(directory, port, gates, switches, secrets, jobSets, count);
    }

    /** With nothing set beside the gates. */
    public Settings(Path directory, int port, Gates gates) {
      this(directory, port, gates, Switches.NONE, List.of());
    }
  }

  /** One part that has to be stopped. */
  private interface Stop {
    void run() throws Exception;
  }

  private final Deque<Stop> stops = new ArrayDeque<>();
  private int foundation; // how many of the stops are those of server, fabric and runtimes
  private final HeapTrim heap = HeapTrim.start();
  private final Metrics metrics = new FigureKeeper();
  private final RandomGenerator random = new SecureRandom(); // shared by many threads
  private final CrashPoint crashPoint = CrashPoint.ofEnvironment();
  private final Settings settings;
  private boolean ended;
  private final AgentFolder agentFolder;
  private final BusyboxFolder busybox;
  private final ApiServer server;
  private final AgentSocket agentSocket;
  private final LocalNodes nodes;
  private Services services = Services.NONE;
  private final Fabric fabric;

  private LocalCluster(Settings settings) throws CliFailure, InterruptedException {
    this.settings = settings;
    this.agentFolder = new AgentFolder(settings.directory().resolve("agent"));
    this.busybox = new BusyboxFolder(settings.directory().resolve("busybox"));
    isolation();
    try {
      this.server = openServer(settings, random, metrics);
      stops.push(server::close);
      this.agentSocket = new AgentSocket(settings.directory().resolve("agent-api"), server);
      RunningProgram.register(settings.directory());
      var network = Fabric.open(Fabric.Settings.in(settings.directory().resolve("fabric")));
      this.fabric = network;
      stops.push(() -> letGo(network));
      this.nodes = LocalNodes.open(settings, fabric, this::startAgent, metrics);
      stops.push(nodes::close);
      foundation = stops.size();
      freeAddresses(nodes, fabric);
      var networkServices = NetworkServices.start(fabric, as("cluster-services"), random);
      stops.push(networkServices::close);
      this.services = networkServices.services();
      var controllers =
          Controllers.start(
              this::as,
              new Controllers.Settings(
                  settings.gates(),
                  InstantSource.system(),
                  random,
                  crashPoint,
                  settings.switches().requests(),
                  settings.switches().nodeLoss(),
                  BugFiles.in(settings.directory().resolve("bugs"), InstantSource.system()),
                  metrics,
                  JobSetPlace.LOCAL.with(new LocalAgentAccounts(adminTransport()))),
              parts(settings.jobSets()));
      stops.push(controllers::close);
      startNodes();
      listen(networkServices); // last: making certificates takes as long as all of the above
    } catch (RuntimeFailure e) {
      close();
      throw new CliFailure("the node cannot start: " + e.getMessage(), e);
    } catch (CliFailure | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Set<Controllers.Part> parts(JobSets jobSets) {
    return switch (jobSets) {
      case BUILT_IN -> EnumSet.allOf(Controllers.Part.class);
      case LEFT_OUT -> EnumSet.complementOf(EnumSet.of(Controllers.Part.JOB_SETS));
    };
  }

  /** The network stays for the next start when pods are in it; otherwise nobody needs it. */
  private void letGo(Fabric network) throws RuntimeFailure {
    if (ended || LocalNodes.hasPods(settings.directory())) {
      network.close();
    } else {
      network.remove();
    }
  }

  public static LocalCluster start(Settings settings) throws CliFailure, InterruptedException {
    return new LocalCluster(settings);
  }

  /** Whether this user on this machine can run containers. */
  public static boolean possible() {
    return Isolation.probe() instanceof Isolation.Possible;
  }

  public URI address() {
    return server.address();
  }

  public AdminCredentials admin() {
    return server.admin();
  }

  public Transport adminTransport() {
    return server.inProcess(Identity.admin());
  }

  public RandomGenerator random() {
    return random;
  }

  /** One line for people: what containers are protected from, and what they see. */
  public static String isolation() throws CliFailure {
    return switch (Isolation.probe()) {
      case Isolation.Possible(var level, var unlimited) ->
          "isolation "
              + level.name().toLowerCase(Locale.ROOT)
              + ": containers see this machine's files and write to copies"
              + (unlimited.isEmpty()
                  ? ""
                  : "; limits of %s are off (no cgroup for them)"
                      .formatted(String.join(", ", unlimited)));
      case Isolation.Unavailable(String reason) -> throw new CliFailure(reason);
    };
  }

  /** What to say of nodes that an earlier start had and this one has not. */
  public List<String> takenAway() {
    return nodes.takenAway().stream()
        .map(node ->
            "node %s is not started: what ran there is ended (kubectl delete node %s forgets it)"
                .formatted(node, node))
        .toList();
  }

  /** What to say when the cluster stops and containers stay. */
  public String goodbye() {
    int pods = nodes.pods();
    return pods == 0
        ? "regroup stopped"
        : "regroup stopped; %d %s running (regroup up finds them again, regroup down ends them)"
            .formatted(pods, pods == 1 ? "pod keeps" : "pods keep");
  }

  /** Ends every container, sandbox and the network. The parts must be stopped by {@link #close}. */
  public void endEverything() throws CliFailure, InterruptedException {
    try {
      while (stops.size() > foundation) {
        stop(stops.pop()); // nobody may start anything any more
      }
      nodes.endEverything();
      fabric.remove();
      ended = true;
    } catch (RuntimeFailure e) {
      throw new CliFailure("containers could not be ended: " + e.getMessage(), e);
    }
  }

  /** The same for a directory that nobody serves. */
  public static void endEverything(Path directory) throws CliFailure, InterruptedException {
    isolation();
    try (var fabric = Fabric.open(Fabric.Settings.in(directory.resolve("fabric")))) {
      LocalNodes.endEverything(directory, fabric);
      fabric.remove();
    } catch (RuntimeFailure e) {
      throw new CliFailure("containers could not be ended: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    while (!stops.isEmpty()) {
      stop(stops.pop());
    }
    heap.close();
  }

  /** Of pods a crash took away before their address was given back. */
  private static void freeAddresses(LocalNodes nodes, Fabric fabric) throws RuntimeFailure {
    var known = nodes.records();
    for (var pod : fabric.pods()) {
      if (!known.contains(pod)) {
        fabric.detach(pod);
      }
    }
  }

  private static void stop(Stop stop) {
    try {
      stop.run();
    } catch (Exception e) {
      LOG.warn("a part did not stop cleanly", e);
    }
  }

  private Transport as(String controller) {
    return server.inProcess(Identity.controller(controller));
  }

  private static ApiServer openServer(Settings settings, RandomGenerator random, Metrics metrics)
      throws CliFailure, InterruptedException {
    try {
      return ApiServer.open(
          new ApiServer.Settings(
                  settings.directory(),
                  settings.port(),
                  settings.gates(),
                  InstantSource.system(),
                  random,
                  metrics)
              .with(settings.jobSets()));
    } catch (DataDirectoryInUse e) {
      throw new CliFailure(
          e.getMessage() + " (stop it with regroup down, or choose another with --data-dir)", e);
    } catch (StoreFailure e) {
      throw new CliFailure(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new CliFailure(settings.directory() + ": " + Reason.of(e), e);
    }
  }

  private void listen(NetworkServices network) throws CliFailure, InterruptedException {
    try {
      server.listen();
      agentSocket.openAgain();
      network.leadToApi(server.address().getPort());
      server.advertise(fabric.hostAddress());
      LOG.info("data in {}, API server at {}", settings.directory(), server.address());
    } catch (IOException e) {
      throw new CliFailure(
          taken(e)
              ? "port %d is in use by another server (choose one with --port, 0 takes a free one)"
                  .formatted(settings.port())
              : settings.directory() + ": " + Reason.of(e),
          e);
    }
  }

  private static boolean taken(@Nullable Throwable failure) {
    return failure != null && (failure instanceof BindException || taken(failure.getCause()));
  }

  private void startNodes() throws CliFailure, InterruptedException {
    stops.push(nodes::stopAgents);
    nodes.start();
    server.onDiskTrouble(nodes::reportNow);
    server.connectNodes(nodes);
    var harm = new PodHarm(nodes, fabric);
    stops.push(harm::close);
    var switches = new NodeSwitch(nodes);
    ControlSocket.open(
            settings.directory(),
            line -> harm.understands(line) ? harm.answer(line) : switches.answer(line))
        .ifPresent(one -> stops.push(one::close));
  }

  private Images images() {
    var others = new BusyboxOnHost(NodeGates.images(settings.gates()), busybox);
    return new AgentOnHost(others, agentFolder, agentSocket::open);
  }

  private Node startAgent(LocalNode place, EmbeddedRuntime runtime) throws InterruptedException {
    var what =
        new Node.Settings(
                place.name(),
                place.place().agent(),
                fabric.hostAddress().getHostAddress(),
                MAX_PODS,
                ProgramVersion.number(),
                settings.switches().onTopOf(NodeGates.of(settings.gates())),
                images(),
                NodeGates.telling(settings.gates()),
                NodeGates.declaredFeatures(settings.gates()))
            .oneOf(nodes.size(), settings.directory().resolve("node").resolve("claims"))
            .renewing(settings.switches().nodeLoss().renewal());
    return Node.start(
        settings.jobSets() == JobSets.BUILT_IN ? what : what.withoutGroups(),
        new Node.Ports(
            server.inProcess(Identity.node(place.name())),
            runtime,
            InstantSource.system(),
            random,
            new RestartFigures(metrics, RestartObserver.NONE),
            metrics,
            crashPoint,
            new PodResolver(fabric.gateway().getHostAddress()),
            services));
  }
}
