package dev.regroup.control;

import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.policy.PolicyTypes;
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
import dev.regroup.control.namespaces.NamespaceController;
import dev.regroup.control.nodes.LostPods;
import dev.regroup.control.owners.Collection;
import dev.regroup.control.owners.KnownCollections;
import dev.regroup.control.owners.OwnerController;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.policies.PolicyTypeController;
import dev.regroup.control.quotas.QuotaController;
import dev.regroup.control.roles.RoleAggregation;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.jobset.JobSetGates;
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
   * @param bugs keeps what a controller saw when it met a bug
   * @param metrics keeps figures of every controller
   */
  public record Settings(
      Gates gates,
      InstantSource clock,
      RandomGenerator random,
      CrashPoint crashPoint,
      Scheduler.Requests requests,
      BugFiles bugs,
      Metrics metrics) {
    public Settings {
      Objects.requireNonNull(gates, "gates");
      Objects.requireNonNull(clock, "clock");
      Objects.requireNonNull(random, "random");
      Objects.requireNonNull(crashPoint, "crashPoint");
      Objects.requireNonNull(requests, "requests");
      Objects.requireNonNull(bugs, "bugs");
      Objects.requireNonNull(metrics, "metrics");
    }

    /** No crash; requests count; nothing is counted or written down. */
    public Settings(Gates gates, InstantSource clock, RandomGenerator random) {
      this(
          gates,
          clock,
          random,
          CrashPoint.NONE,
          Scheduler.Requests.WEIGHED,
          BugFiles.NONE,
          Metrics.NONE);
    }
  }

  /** What can be started alone. */
  public enum Part {
    JOBS,
    JOB_SETS,
    CLAIMS,
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
    some.addWorkloads(feeds); // first: a group waits for them
    some.addSupport(feeds);
    feeds.start();
    return some;
  }

  private void addWorkloads(SharedFeeds feeds) {
    if (!any(Part.JOBS, Part.JOB_SETS, Part.CLAIMS, Part.LOST_PODS)) {
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
    if (parts.contains(Part.LOST_PODS)) {
      var transport = transports.apply("pod-garbage-collector");
      add(new LostPods(feeds, transport, pods, LostPods.PATIENCE), LostPods::close);
    }
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
          new JobController(feeds, transport, jobs, pods, events, clock, settings.crashPoint()),
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
                  clock,
                  settings.crashPoint(),
                  settings.bugs(),
                  settings.metrics())),
          JobSetController::close);
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
    if (parts.contains(Part.QUOTAS)) {
      var transport = transports.apply("resourcequota-controller");
      add(new QuotaController(feeds, transport), QuotaController::close);
    }
    if (parts.contains(Part.POLICY_TYPES)) {
      var transport = transports.apply("validatingadmissionpolicy-status-controller");
      var types = new PolicyTypes(settings.gates());
      add(new PolicyTypeController(feeds, transport, types), PolicyTypeController::close);
    }
    if (any(Part.NAMESPACES, Part.OWNERS)) {
      addCleaning(feeds, new KnownCollections(feeds, builtIn()));
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
          add(new NamespaceController(feeds, transport, collections), NamespaceController::close)
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

  @Override
  public void close() {
    endings.reversed().forEach(Runnable::run);
  }
}
