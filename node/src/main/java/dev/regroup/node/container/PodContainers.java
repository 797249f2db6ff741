package dev.regroup.node.container;

import dev.regroup.client.Backoff;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.image.ImageFailure;
import dev.regroup.node.pod.CycleFile;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.PodDirectory;
import dev.regroup.node.pod.PodNotices;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.probe.Handlers;
import dev.regroup.node.probe.ProbeTarget;
import dev.regroup.node.probe.ProbeWorkers;
import dev.regroup.node.volume.VolumeFailure;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.StopProgress.Step;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Lifecycle;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Containers and durable record of one pod, with its {@link PodSandbox}: the part of the driver
 * that touches the runtime and the disk. Belongs to the pod's worker; what it begins on other
 * threads (stops, hooks, probes) ends with {@link #stop}.
 */
public final class PodContainers {

  private final NodeServices services;
  private final ContainerRuntime runtime;
  private final PodUid uid;
  private final PodNotices notices;
  private final PodDirectory directory;
  private final CycleFile cycleFile;
  private final ContainerDescriber starts;
  private final PodSandbox sandbox;
  private final PodThreads threads = new PodThreads();
  private final TokenRenewal tokens;
  private final VolumeNews news;
  private final ContainerStops stops;
  private final Hooks hooks;
  private final ProbeWorkers probes;
  private final ContainerRecords records;
  private final StartFigures figures;
  private final Map<String, Observed.StartFailure> startFailures = new HashMap<>();
  private final Map<String, Backoff> startRetries = new HashMap<>();

  public PodContainers(
      NodePod first, NodeServices services, Pokes pokes, Supplier<NodePod> latest) {
    this.services = services;
    this.runtime = services.runtime();
    this.uid = new PodUid(first.uid());
    this.notices = new PodNotices(services.events(), first);
    this.directory = PodDirectory.of(services.directory(), uid);
    this.cycleFile = new CycleFile(directory.cycle(), services.disk());
    this.starts = new ContainerDescriber(services, directory);
    this.sandbox = new PodSandbox(runtime, uid, notices, starts, cycleFile);
    this.stops = new ContainerStops(runtime, services.clock(), pokes, threads);
    this.tokens = new TokenRenewal(starts, services.configs(), threads, pokes);
    this.news = new VolumeNews(starts, services.configs(), threads, pokes, services.clock());
    var handlers = new Handlers(runtime);
    this.hooks = new Hooks(handlers, pokes, threads);
    this.probes =
        new ProbeWorkers(
            handlers,
            services.clock(),
            new ProbeNews(notices, pokes, latest, new ProbeFigures(services.metrics())));
    this.figures = new StartFigures(services.metrics());
    this.records = new ContainerRecords(runtime, uid, stops, hooks, probes, pokes);
  }

  /** Reads what is on disk; before everything else. */
  public void open() throws EffectFailure {
    try {
      cycleFile.open();
    } catch (IOException e) {
      throw new EffectFailure("its directory cannot be read: " + e.getMessage(), e);
    }
  }

  public RestartCycle cycle() {
    return cycleFile.cycle();
  }

  public PodSandbox sandbox() {
    return sandbox;
  }

  /** The pod runs and has nothing else to do: its volumes are brought up to date. */
  public void keepVolumes(NodePod view, String address) throws InterruptedException {
    tokens.look(view, address);
    news.look(view, address);
  }

  public void remember(RestartCycle cycle) throws EffectFailure, InterruptedException {
    try {
      cycleFile.write(cycle);
    } catch (IOException e) {
      throw new EffectFailure("cannot keep the restart record: " + e.getMessage(), e);
    }
  }

  /** All records; running ones are probed from here on. */
  public List<SeenContainer> records(NodePod view, PodStatus previous, String address)
      throws InterruptedException {
    var all = records.observe(view);
    for (var record : all) {
      var container = view.container(record.container()).orElse(null);
      if (record.isRunning() && container != null) {
        var key = new ContainerKey(uid, record.container(), record.run());
        probes.watch(
            new ProbeWorkers.Running(
                new ProbeTarget(key, container, address),
                record.startedAt(),
                known(previous, record)));
      }
    }
    return all;
  }

  /** After a restart of the node a running container keeps what it had reached (STS-40). */
  private static Map<ProbeKind, SeenContainer.ProbeResult> known(
      PodStatus previous, SeenContainer record) {
    var results = new EnumMap<ProbeKind, SeenContainer.ProbeResult>(ProbeKind.class);
    var status = previous.container(record.container());
    if (status.isPresent() && status.get().containerId().equals(record.id())) {
      if (status.get().started()) {
        results.put(ProbeKind.STARTUP, SeenContainer.ProbeResult.SUCCESS);
      }
      if (status.get().ready()) {
        results.put(ProbeKind.READINESS, SeenContainer.ProbeResult.SUCCESS);
      }
    }
    return results;
  }

  /** The pod's group got an order: an agent that waits for it will tell by its startup probe. */
  public void ordered() {
    probes.hurry();
  }

  public Map<String, Observed.StartFailure> startFailures() {
    return startFailures;
  }

  /**
   * A failed start is noted for the next plan, which goes on with the others (SEQ-03, SEQ-06).
   *
   * @return whether there is such a run now; one that could not be made does not count (STS-17)
   */
  public boolean start(NodePod view, Effect.Start start, String address)
      throws InterruptedException {
    var container = view.container(start.container()).orElse(null);
    if (container == null) {
      return false; // no longer in the spec
    }
    var key = new ContainerKey(uid, start.container(), start.run());
    var path = notices.path(view, start.container());
    var kind = kind(view, start.container());
    figures.tried(kind);
    try {
      services.images().check(container.getImage(), container.getImagePullPolicy());
      notices.normal(
          path,
          "Pulled",
          "Container image \""
              + container.getImage()
              + "\" already present on machine and can be accessed by the pod");
      var spec =
          starts.describe(
              view,
              container,
              key,
              new ContainerDescriber.Round(
                  start.epoch(), cycle().attempt(), address, sandbox.observe().id()));
      notices.normal(path, "Created", "Container created");
      var record = runtime.start(spec);
      notices.normal(path, "Started", "Container started");
      records.started(record);
      startFailures.remove(start.container());
      startRetries.remove(start.container());
      beginPostStart(new ProbeTarget(key, container, address));
      return true;
    } catch (ImageFailure e) {
      var reason = e.reason();
      notices.warn(path, reason.event(), String.valueOf(e.getMessage()));
      notices.warn(path, "Failed", "Error: " + reason.wireName());
      tryAgainLater(start.container(), reason.wireName(), e);
    } catch (ConfigFailure e) {
      failed(start.container(), path, "CreateContainerConfigError", e);
    } catch (VolumeFailure | IOException e) {
      failed(start.container(), path, "CreateContainerError", e);
    } catch (RuntimeFailure e) {
      if (startRefused(start.container(), path, e)) {
        if (e.kind() == RuntimeFailure.Kind.START_ERROR) {
          figures.failed(kind, "RunContainerError");
        }
        return true;
      }
    }
    var failure = startFailures.get(start.container());
    if (failure != null) {
      figures.failed(kind, failure.reason());
    }
    return false;
  }

  private static ContainerKind kind(NodePod view, String name) {
    return view.spec().containers().stream()
        .filter(container -> container.name().equals(name))
        .map(ContainerSpec::kind)
        .findFirst()
        .orElse(ContainerKind.EPHEMERAL); // the spec knows all others
  }

  /** Returns whether the run exists all the same. */
  private boolean startRefused(String container, String path, RuntimeFailure e) {
    return switch (e.kind()) {
      case ALREADY_EXISTS -> {
        startFailures.remove(container); // started before a crash: fine
        yield true;
      }
      case START_ERROR -> {
        startFailures.remove(container); // the record with code 128 says it all (DEC-05)
        notices.warn(path, "Failed", "Error: " + e.getMessage());
        yield true;
      }
      case NOT_FOUND, WRONG_STATE, TIMED_OUT, SYSTEM -> {
        failed(container, path, "CreateContainerError", e);
        yield false;
      }
    };
  }

  private void failed(String container, String path, String reason, Exception e) {
    tryAgainLater(container, reason, e);
    notices.warn(path, "Failed", "Error: " + e.getMessage());
  }

  private void tryAgainLater(String container, String reason, Exception e) {
    var message = String.valueOf(e.getMessage());
    var retries = startRetries.computeIfAbsent(container, _ -> EffectFailure.retries());
    var retryAt = services.clock().instant().plus(retries.next());
    startFailures.put(container, new Observed.StartFailure(reason, message, retryAt));
  }

  private void beginPostStart(ProbeTarget target) {
    var lifecycle = target.container().getLifecycle();
    if (lifecycle != null && lifecycle.getPostStart() != null) {
      hooks.beginPostStart(target, lifecycle.getPostStart());
    }
  }

  public void beginStop(NodePod view, Effect.BeginStop stop, String address)
      throws EffectFailure, InterruptedException {
    var record = records.latest(stop.id()).orElse(null);
    if (record == null) {
      return; // gone meanwhile
    }
    var container = view.container(stop.container()).orElse(null);
    if (stop.preStop() == Effect.BeginStop.PreStop.SKIP
        || container == null
        || container.getLifecycle() == null
        || container.getLifecycle().getPreStop() == null) {
      begin(record, stop.why(), Step.BEGUN);
      return;
    }
    begin(record, stop.why(), Step.PRE_STOP);
    var limit = Duration.between(services.clock().instant(), stop.until());
    hooks.beginPreStop(
        new ProbeTarget(record.key(), container, address),
        container.getLifecycle().getPreStop(),
        limit.isNegative() ? Duration.ZERO : limit,
        outcome -> {
          if (outcome == Hooks.Outcome.FAILED) {
            preStopFailed(view, stop.container());
          }
          stops.hookEnded(record.key());
        });
  }

  private void preStopFailed(NodePod view, String container) {
    notices.warn(notices.path(view, container), "FailedPreStopHook", "PreStopHook failed");
  }

  private static boolean runsInContainer(NodePod view, String name) {
    return view.container(name)
        .map(Container::getLifecycle)
        .map(Lifecycle::getPreStop)
        .filter(hook -> hook.getExec() != null)
        .isPresent();
  }

  public void signal(NodePod view, Effect.Signal effect) {
    var record = records.latest(effect.id()).orElse(null);
    if (record == null) {
      return; // gone meanwhile
    }
    if (hooks.abandonPreStop(record.key()) && runsInContainer(view, effect.container())) {
      preStopFailed(view, effect.container()); // it dies with the container
    }
    stops.signal(record, effect.why(), stopSignal(view, effect.container()), effect.timeout());
  }

  /** Whether this container, as it was at the last look, heard that it is to end. */
  public boolean heard(ContainerId id) {
    return records
        .latest(id)
        .filter(record -> record.warning() == RuntimeRecord.Warning.HEARD)
        .isPresent();
  }

  private void begin(RuntimeRecord record, StopReason why, Step step)
      throws EffectFailure, InterruptedException {
    try {
      stops.begin(record, why, step);
    } catch (RuntimeFailure e) {
      throw new EffectFailure(
          "cannot keep why " + record.key() + " is stopped: " + e.getMessage(), e);
    }
  }

  private static Signal stopSignal(NodePod view, String name) {
    var container = view.container(name).orElse(null);
    if (container == null || container.getLifecycle() == null) {
      return Signal.SIGTERM;
    }
    var wanted = container.getLifecycle().getStopSignal();
    return wanted == null ? Signal.SIGTERM : Signal.named(wanted).orElse(Signal.SIGTERM);
  }

  /**
   * Side by side: the pod waits for the slowest, not for the sum. What was removed is forgotten,
   * also when others could not be; those are asked for again.
   */
  public void remove(List<ContainerId> ids) throws EffectFailure, InterruptedException {
    var removals = new LinkedHashMap<ContainerKey, Future<ContainerKey>>();
    try (var scope = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var id : ids) {
        records
            .latest(id)
            .map(RuntimeRecord::key)
            .ifPresent(key -> removals.put(key, scope.submit(() -> remove(key))));
      }
    }
    var failures = new ArrayList<EffectFailure>();
    for (var removal : removals.entrySet()) {
      try {
        removal.getValue().get();
        forget(removal.getKey());
      } catch (ExecutionException e) {
        failures.add(new EffectFailure("cannot remove a container: " + e.getCause(), e.getCause()));
      }
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }

  private ContainerKey remove(ContainerKey key) throws RuntimeFailure, InterruptedException {
    try {
      runtime.stop(key, StopOrder.AT_ONCE);
    } catch (RuntimeFailure e) {
      if (e.kind() != RuntimeFailure.Kind.NOT_FOUND) { // removed already, but not forgotten
        throw e;
      }
    }
    runtime.remove(key);
    return key;
  }

  private void forget(ContainerKey key) {
    hooks.forget(key); // first: what ends from here on tells nobody
    stops.forget(key);
    probes.forget(key);
    records.forget(key);
  }

  /** Nothing of the pod runs any more. */
  public void ended() {
    probes.podEnds();
  }

  public void stop() throws InterruptedException {
    threads.stop();
    probes.stop();
    cycleFile.close();
  }
}
