package dev.regroup.control;

import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.claims.ClaimController;
import dev.regroup.control.endpoints.EndpointsController;
import dev.regroup.control.events.EventSink;
import dev.regroup.control.job.JobController;
import dev.regroup.control.job.JobFeed;
import dev.regroup.control.jobset.JobSetController;
import dev.regroup.control.namespaces.NamespaceController;
import dev.regroup.control.nodes.LostPods;
import dev.regroup.control.owners.OwnerController;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.jobset.JobSetGates;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * All controllers of a local cluster, wired and started together. Each speaks to the API under an
 * identity of its own. {@link #close} ends them in the opposite order and waits.
 */
public final class Controllers implements AutoCloseable {

  /** How controllers are started. */
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

    /** No crash; requests count. */
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

  private final List<Runnable> endings = new ArrayList<>();

  private Controllers() {}

  /**
   * Starts them.
   *
   * @param transports a transport under the identity of the controller of this name
   */
  public static Controllers start(
      Function<? super String, ? extends Transport> transports, Settings settings) {
    var all = new Controllers();
    all.startSupport(transports, settings);
    all.startWorkloads(transports, settings);
    return all;
  }

  private void startSupport(
      Function<? super String, ? extends Transport> transports, Settings settings) {
    var random = settings.random();
    var namespaces =
        add(
            new NamespaceController(transports.apply("namespace-controller"), random),
            NamespaceController::close);
    var owners =
        add(
            new OwnerController(
                transports.apply("generic-garbage-collector"), random, namespaces::emptied),
            OwnerController::close);
    var endpoints =
        add(
            new EndpointsController(transports.apply("endpointslice-controller"), random),
            EndpointsController::close);
    var transport = transports.apply("scheduler");
    var events =
        add(new EventSink(transport, "default-scheduler", settings.clock()), EventSink::close);
    var scheduler =
        add(
            new Scheduler(transport, events, settings.clock(), random, settings.requests()),
            Scheduler::close);
    namespaces.start();
    owners.start();
    endpoints.start();
    scheduler.start();
  }

  private void startWorkloads(
      Function<? super String, ? extends Transport> transports, Settings settings) {
    var clock = settings.clock();
    var random = settings.random();
    var jobTransport = transports.apply("job-controller");
    var jobSetTransport = transports.apply("jobset-controller");
    var nodeRules = settings.gates().rules(Gates.Component.NODE);
    var pods = add(new PodFeed(jobTransport, nodeRules, random), PodFeed::close);
    var jobs = add(new JobFeed(jobTransport, random), JobFeed::close);
    var jobEvents = add(new EventSink(jobTransport, "job-controller", clock), EventSink::close);
    var jobSetEvents =
        add(new EventSink(jobSetTransport, "jobset", "Reconciling", clock), EventSink::close);
    add(
        new JobController(jobTransport, jobs, pods, jobEvents, clock, settings.crashPoint()),
        JobController::close);
    var jobSetSettings =
        new JobSetController.Settings(
            gates(settings.gates()),
            clock,
            random,
            settings.crashPoint(),
            settings.bugs(),
            settings.metrics());
    var jobSets =
        add(
            new JobSetController(jobSetTransport, jobs, pods, jobSetEvents, jobSetSettings),
            JobSetController::close);
    var claimTransport = transports.apply("persistent-volume-binder");
    var claimEvents =
        add(new EventSink(claimTransport, "persistentvolume-controller", clock), EventSink::close);
    var claims =
        add(new ClaimController(claimTransport, pods, claimEvents, random), ClaimController::close);
    var lost =
        add(
            new LostPods(
                transports.apply("pod-garbage-collector"), pods, random, LostPods.PATIENCE),
            LostPods::close);
    claims.start();
    lost.start();
    jobSets.start();
    jobs.start();
    pods.start();
  }

  private static JobSetGates gates(Gates gates) {
    var control = Gates.Component.CONTROL;
    return new JobSetGates(
        gates.on(Gate.IN_PLACE_RESTART, control),
        gates.on(Gate.RESTART_JOB, control),
        gates.on(Gate.ELASTIC_JOB_SET, control));
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
