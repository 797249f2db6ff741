package dev.regroup.control;

import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.jobset.JobSetCharge;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.policy.PolicyTypes;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.event.EventRecorder.Source;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.claims.ClaimController;
import dev.regroup.control.endpoints.EndpointsController;
import dev.regroup.control.job.JobController;
import dev.regroup.control.job.JobFeed;
import dev.regroup.control.jobset.JobSetController;
import dev.regroup.control.jobset.JobSetPlace;
import dev.regroup.control.jobset.PlacementController;
import dev.regroup.control.namespaces.NamespaceController;
import dev.regroup.control.nodes.Awake;
import dev.regroup.control.nodes.LostPods;
import dev.regroup.control.nodes.NodeLifecycle;
import dev.regroup.control.nodes.TaintEviction;
import dev.regroup.control.owners.Collection;
import dev.regroup.control.owners.KnownCollections;
import dev.regroup.control.owners.OwnerController;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.policies.PolicyTypeController;
import dev.regroup.control.quotas.QuotaController;
import dev.regroup.control.roles.RoleAggregation;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.rules.node.PodAbandonment;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of a cluster, all or some, wired and started together. Each writes under an
 * identity of its own; what they read comes from feeds they share, under one more. {@link #close}
 * ends them in the opposite order and waits.
 */
public final class Controllers implements AutoCloseable {

  private static final String FEEDS = "shared-informers";

  /**
   * How controllers are started.
   *
   * @param nodes what is done about nodes that fall silent
   * @param bugs keeps what a controller saw when it met a bug
   * @param metrics keeps figures of every controller
   * @param place where JobSets run
   */
  public record Settings(
      Gates gates,
      InstantSource clock,
      RandomGenerator random,
      CrashPoint crashPoint,
      Scheduler.Requests requests,
      NodeLossSettings nodes,
      BugFiles bugs,
      Metrics metrics,
      JobSetPlace place) {
    public Settings {
      Objects.requireNonNull(gates, "gates");
      Objects.requireNonNull(clock, "clock");
      Objects.requireNonNull(random, "random");
      Objects.requireNonNull(crashPoint, "crashPoint");
      Objects.requireNonNull(requests, "requests");
      Objects.requireNonNull(nodes, "nodes");
      Objects.requireNonNull(bugs, "bugs");
      Objects.requireNonNull(metrics, "metrics");
      Objects.requireNonNull(place, "place");
    }

    /** No crash; requests count; nothing is counted or written down. */
    public Settings(Gates gates, InstantSource clock, RandomGenerator random) {
      this(
          gates,
          clock,
          random,
          CrashPoint.NONE,
          Scheduler.Requests.WEIGHED,
          NodeLossSettings.DEFAULT,
          BugFiles.NONE,
          Metrics.NONE,
          JobSetPlace.LOCAL);
    }

    /** In a cluster that is not Regroup's own. */
    public Settings in(JobSetPlace other) {
      return new Settings(gates, clock, random, crashPoint, requests, nodes, bugs, metrics, other);
    }

    /** Ending where a test says. */
    public Settings crashing(CrashPoint point) {
      return new Settings(gates, clock, random, point, requests, nodes, bugs, metrics, place);
    }

    /** With another treatment of lost nodes. */
    public Settings losing(NodeLossSettings loss) {
      return new Settings(gates, clock, random, crashPoint, requests, loss, bugs, metrics, place);
    }

    /** With figures and notes of bugs. */
    public Settings keeping(Metrics figures, BugFiles notes) {
      return new Settings(gates, clock, random, crashPoint, requests, nodes, notes, figures, place);
    }
  }

  /** What can be started alone. */
  public enum Part {
    JOBS,
    JOB_SETS,
    CLAIMS,
    NODES,
    LOST_PODS,
    SCHEDULER,
    ENDPOINTS,
    OWNERS,
    NAMESPACES,
    CLUSTER_ROLES,
    QUOTAS,
    POLICY_TYPES
  }

  private final Function<? super String, ? extends Transport> transports;
  private final Settings settings;
  private final Set<Part> parts;
  private @Nullable SharedFeeds feeds;
  private final List<Runnable> endings = new ArrayList<>();

  private Controllers(
      Function<? super String, ? extends Transport> transports,
      Settings settings,
      Set<Part> parts) {
    this.transports = transports;
    this.settings = settings;
    this.parts = parts;
  }

  /**
   * Starts all of them.
   *
   * @param transports a transport under the identity of the controller of this name
   */
  public static Controllers start(
      Function<? super String, ? extends Transport> transports, Settings settings) {
    return start(transports, settings, EnumSet.allOf(Part.class));
  }

  /** Starts some of them; nothing is watched that none of them reads. */
  public static Controllers start(
      Function<? super String, ? extends Transport> transports,
      Settings settings,
      Set<Part> parts) {
    var some = new Controllers(transports, settings, Set.copyOf(parts));
    var feeds =
        some.add(
            new SharedFeeds(transports.apply(FEEDS), settings.random(), settings.metrics()),
            SharedFeeds::close);
    if (groupsOnly(parts)) {
      var ours = ListQuery.ALL.withLabels(JobSetKeys.JOBSET_NAME);
      feeds.narrow(Kinds.PODS, ours).narrow(Kinds.JOBS, ours); // others' pods may be many
    }
    some.feeds = feeds;
    some.addWorkloads(feeds); // first: a group waits for them
    some.addSupport(feeds);
    feeds.start();
    return some;
  }

  private void addWorkloads(SharedFeeds feeds) {
    if (!any(Part.JOBS, Part.JOB_SETS, Part.CLAIMS, Part.NODES, Part.LOST_PODS)) {
      return;
    }
    var pods = new PodFeed(feeds, settings.gates().rules(Gates.Component.NODE));
    if (any(Part.JOBS, Part.JOB_SETS)) {
      addJobs(feeds, pods, new JobFeed(feeds));
    }
    if (parts.contains(Part.CLAIMS)) {
      var transport = transports.apply("persistent-volume-binder");
      var events = events(transport, Source.of("persistentvolume-controller"));
      add(new ClaimController(feeds, transport, pods, events), ClaimController::close);
    }
    if (any(Part.NODES, Part.LOST_PODS)) {
      addNodes(feeds, pods, add(new Awake(feeds, settings.nodes().period()), Awake::close));
    }
  }

  private void addNodes(SharedFeeds feeds, PodFeed pods, Awake awake) {
    var clock = settings.clock();
    if (parts.contains(Part.NODES)) {
      var transport = transports.apply("node-controller");
      var events = events(transport, Source.of("node-controller"));
      add(
          new NodeLifecycle(feeds, transport, events, clock, awake, settings.nodes()),
          NodeLifecycle::close);
      var evictions = events(transport, Source.of("taint-eviction-controller"));
      add(new TaintEviction(feeds, transport, pods, evictions, clock, awake), TaintEviction::close);
    }
    if (parts.contains(Part.LOST_PODS)) {
      var transport = transports.apply("pod-garbage-collector");
      var events = events(transport, Source.of("node-controller"));
      var patience =
          new PodAbandonment.Patience(
              PodAbandonment.Patience.DEFAULT.quarantine(), settings.nodes().podForceFailAfter());
      var duties = groupsOnly(parts) ? LostPods.Duties.UNREACHABLE_GROUPS : LostPods.Duties.ALL;
      var client = new ApiClient(transport);
      LostPods.Charge charge =
          jobSet ->
              client
                  .get(Kinds.JOB_SETS, jobSet)
                  .filter(settings.place().charge()::covers)
                  .isPresent();
      add(
          new LostPods(
              feeds,
              transport,
              pods,
              events,
              clock,
              awake,
              new LostPods.Settings(patience, duties, charge)),
          LostPods::close);
    }
  }

  /** In a cluster that has controllers of its own for everything but JobSets. */
  private static boolean groupsOnly(Set<Part> parts) {
    return EnumSet.of(Part.JOB_SETS, Part.LOST_PODS).containsAll(parts);
  }

  private boolean any(Part... wanted) {
    return !Collections.disjoint(parts, List.of(wanted));
  }

  private void addJobs(SharedFeeds feeds, PodFeed pods, JobFeed jobs) {
    var clock = settings.clock();
    if (parts.contains(Part.JOBS)) {
      var transport = transports.apply("job-controller");
      var events = events(transport, Source.of("job-controller"));
      add(
          new JobController(
              feeds,
              transport,
              jobs,
              pods,
              events,
              new JobController.Settings(clock, settings.crashPoint(), settings.metrics())),
          JobController::close);
    }
    if (parts.contains(Part.JOB_SETS)) {
      var transport = transports.apply("jobset-controller");
      var events = events(transport, Source.of("jobset").doing("Reconciling"));
      add(
          new JobSetController(
              feeds,
              transport,
              jobs,
              pods,
              events,
              new JobSetController.Settings(
                  gates(settings.gates()),
                  settings.nodes().groups(),
                  clock,
                  settings.crashPoint(),
                  settings.bugs(),
                  settings.metrics(),
                  settings.place())),
          JobSetController::close);
      if (settings.place().charge() == JobSetCharge.ALL) { // elsewhere others give the places
        add(
            new PlacementController(feeds, transport, pods, events, clock),
            PlacementController::close);
      }
    }
  }

  private void addSupport(SharedFeeds feeds) {
    if (parts.contains(Part.SCHEDULER)) {
      var transport = transports.apply("scheduler");
      var events = events(transport, Source.of("default-scheduler"));
      add(
          new Scheduler(feeds, transport, events, settings.clock(), settings.requests()),
          Scheduler::close);
    }
    if (parts.contains(Part.ENDPOINTS)) {
      var transport = transports.apply("endpointslice-controller");
      add(new EndpointsController(feeds, transport), EndpointsController::close);
    }
    if (parts.contains(Part.CLUSTER_ROLES)) {
      var transport = transports.apply("clusterrole-aggregation-controller");
      add(new RoleAggregation(feeds, transport), RoleAggregation::close);
    }
    if (parts.contains(Part.POLICY_TYPES)) {
      var transport = transports.apply("validatingadmissionpolicy-status-controller");
      var types = new PolicyTypes(settings.gates());
      add(new PolicyTypeController(feeds, transport, types), PolicyTypeController::close);
    }
    if (any(Part.NAMESPACES, Part.OWNERS, Part.QUOTAS)) {
      var collections = new KnownCollections(feeds, builtIn());
      addCleaning(feeds, collections);
      addQuotas(feeds, collections);
    }
  }

  private void addQuotas(SharedFeeds feeds, KnownCollections collections) {
    if (parts.contains(Part.QUOTAS)) {
      var transport = transports.apply("resourcequota-controller");
      add(
          new QuotaController(feeds, transport, collections, settings.random()),
          QuotaController::close);
    }
  }

  /** Without its controller JobSet is a kind that a definition brings along, or nobody does. */
  private List<Collection> builtIn() {
    return Collection.ALL.stream()
        .filter(one -> parts.contains(Part.JOB_SETS) || !one.kind().equals("JobSet"))
        .toList();
  }

  private void addCleaning(SharedFeeds feeds, KnownCollections collections) {
    Consumer<String> emptied = _ -> {};
    if (parts.contains(Part.NAMESPACES)) {
      var transport = transports.apply("namespace-controller");
      emptied =
          add(
                  new NamespaceController(feeds, transport, collections, settings.clock()),
                  NamespaceController::close)
              ::emptied;
    }
    if (parts.contains(Part.OWNERS)) {
      var transport = transports.apply("generic-garbage-collector");
      add(
          new OwnerController(feeds, transport, collections, settings.random(), emptied),
          OwnerController::close);
    }
  }

  private static JobSetGates gates(Gates gates) {
    var control = Gates.Component.CONTROL;
    return new JobSetGates(
        gates.on(Gate.IN_PLACE_RESTART, control),
        gates.on(Gate.RESTART_JOB, control),
        gates.on(Gate.ELASTIC_JOB_SET, control));
  }

  private EventRecorder events(Transport transport, Source source) {
    return add(new EventRecorder(transport, source, settings.clock()), EventRecorder::close);
  }

  private <T> T add(T part, Consumer<? super T> ending) {
    endings.add(() -> ending.accept(part));
    return part;
  }

  /** Whether they know everything they watch. */
  public boolean synced() {
    return feeds != null && feeds.synced();
  }

  @Override
  public void close() {
    endings.reversed().forEach(Runnable::run);
  }
}
