package dev.regroup.node.worker;

import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.NodeAddition;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.pod.ProgressPattern;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.api.pod.RestartRequests;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.pod.StatusWriter;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.node.container.ContainerDescriber;
import dev.regroup.node.container.PodContainers;
import dev.regroup.node.container.Sysctls;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.PodDirectory;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.pod.RestartTelling;
import dev.regroup.node.progress.PodProgram;
import dev.regroup.node.progress.ProgramWatch;
import dev.regroup.node.report.PodReport;
import dev.regroup.node.report.StatusReporter;
import dev.regroup.rules.node.PodAbandonment;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodEvent;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.pod.plan.PodPlan;
import dev.regroup.rules.pod.plan.StartCause;
import dev.regroup.runtime.PodUid;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at one pod and changes it: joins what the API server, the runtime, the disk and the node's
 * own threads know into one observation, and performs the plan's effects. All methods but {@link
 * #update} belong to the pod's worker; nothing here decides.
 */
final class PodDriver implements PodPort {

  private static final Logger LOG = LoggerFactory.getLogger(PodDriver.class);
  private static final Duration FINAL_STATUS = Duration.ofSeconds(10);

  private final NodeServices services;
  private final NodeSettings rules;
  private final PodUid uid;
  private final Pokes pokes;
  private final StatusReporter reporter;
  private final PodContainers containers;
  private final PodProgram program;
  private final RestartMoments moments;
  private final ExitFigures exits;
  private final Instant acceptedAt;

  private volatile NodePod view; // the newest
  private NodePod looked; // the one the latest look and its plan are about
  private @Nullable Observed seen; // by the latest look
  private final Map<String, Integer> lastRuns = new HashMap<>();
  private BackOffMemory backOff = BackOffMemory.EMPTY;
  private volatile PodStatus previous; // written by the worker, read by whoever shows logs
  private @Nullable Publication published;
  private RestartHistory told = RestartHistory.NONE;
  private Map<String, String> telling = Map.of();
  private PodStatus accepted; // what the next one has to follow: at first what the server has
  private String address;
  private boolean deleted;

  /** Everything the pod's status on the wire is made of. */
  private record Publication(
      PodStatus status, long generation, NodeAddition placement, int programNews) {}

  PodDriver(NodePod first, NodeServices services, NodeSettings rules, Pokes pokes) {
    this.view = first;
    this.looked = first;
    this.services = services;
    this.rules = rules;
    this.uid = new PodUid(first.uid());
    this.pokes = pokes;
    this.acceptedAt = first.startTime(services.clock().instant());
    this.previous = StatusReader.read(first.spec(), first.status(), first.annotations());
    this.accepted = previous;
    this.address = first.status().path("podIP").asText("");
    this.containers = new PodContainers(first, services, pokes, () -> view);
    this.program =
        services
            .programs()
            .follow(
                new ProgramWatch.Followed(
                    uid,
                    regular(first.spec()),
                    ProgressPattern.lines(first.pod().getMetadata().getAnnotations()),
                    PodDirectory.of(services.directory(), uid).progress(),
                    pokes::poke));
    this.moments =
        new RestartMoments(
            first.spec().id(),
            RestartHistories.read(first.annotations()),
            program,
            services.observer(),
            services.clock());
    this.exits = new ExitFigures(services.metrics(), rules, previous);
    this.reporter =
        new StatusReporter(
            services.api(),
            new StatusReporter.Target(first.namespace(), first.name(), first.uid()),
            services.starts(),
            first.status(),
            pokes::poke);
  }

  @Override
  public void open() throws EffectFailure {
    containers.open();
    for (var container : view.spec().containers()) {
      var runs = services.runtime().loggedRuns(uid, container.name());
      if (!runs.isEmpty()) {
        lastRuns.put(container.name(), runs.getLast());
      }
    }
  }

  /** The API server shows a newer revision. Any thread. */
  void update(NodePod newer) {
    view = newer;
    reporter.seen(newer.version(), newer.status());
    pokes.poke();
  }

  NodePod view() {
    return view;
  }

  /** What was planned last. Any thread. */
  PodStatus status() {
    return previous;
  }

  @Override
  public Observed observe() throws InterruptedException {
    var now = view;
    looked = now;
    if (now.isGivenUp() && !previous.phase().isTerminal()) { // somebody ended it for us
      previous = StatusReader.read(now.spec(), now.status(), now.annotations());
    }
    var sandbox = containers.sandbox().observe();
    if (!sandbox.ip().isEmpty()) {
      address = sandbox.ip();
    } else if (sandbox.isReady() && ContainerDescriber.hostNetwork(now.pod())) {
      address = services.hostIp();
    }
    var orders = services.groups().orders(now.pod());
    if (seen != null && !orders.equals(seen.group())) {
      containers.ordered();
    }
    var look =
        new Observed(
            containers.cycle(),
            sandbox,
            containers.records(now, previous, address),
            containers.startFailures(),
            lastRuns,
            previous,
            backOff,
            orders,
            RestartRequests.of(now.pod().getMetadata().getAnnotations()),
            PodSpecs.deletion(now.metadata(), now.spec().terminationGrace()),
            forcedEnd(now),
            acceptedAt,
            StatusReader.statuses(now.status()));
    seen = look;
    moments.looked(look.records());
    return look;
  }

  /** What was given up because this node was lost is replaced by now: it gets little time. */
  private static Observed.ForcedEnd forcedEnd(NodePod pod) {
    String reason = pod.status().path("reason").asText("");
    if (pod.isGivenUp() && reason.equals(PodAbandonment.NODE_LOST)) {
      return new Observed.ForcedEnd.Forced(
          reason, pod.status().path("message").asText(""), PodAbandonment.NODE_LOST_GRACE);
    }
    return Sysctls.refusal(pod.pod())
        .map(why -> Observed.ForcedEnd.rejected("SysctlForbidden", why))
        .orElse(Observed.ForcedEnd.NONE);
  }

  @Override
  public PodSpec spec() {
    return looked.spec();
  }

  @Override
  public void publish(PodPlan plan) {
    if (seen != null) {
      exits.planned(looked.spec(), seen, previous, plan.status());
    }
    previous = plan.status();
    backOff = plan.backOff();
    moments.seen(plan, containers::heard);
    var now = looked; // a newer one has not been planned for: its generation is not observed yet
    var next =
        new Publication(
            plan.status(),
            now.observedGeneration(),
            new NodeAddition(services.hostIp(), address, acceptedAt),
            tellsProgram(plan.status()) ? program.news() : 0);
    if (plan.arrives() || next.equals(published) || !allowed(now, next.status())) {
      return;
    }
    var urgency = urgency(now, next.status());
    published = next;
    accepted = next.status();
    var wire = StatusWriter.write(now.pod(), next.generation(), next.status(), next.placement());
    var annotations = new HashMap<>(StatusReader.attemptAnnotations(next.status()));
    if (services.telling() == RestartTelling.ANNOTATED) {
      annotations.putAll(tell(moments.history()));
    }
    reporter.publish(new PodReport(wire, annotations, mustSee(next.status()), urgency));
  }

  private PodReport.Urgency urgency(NodePod pod, PodStatus status) {
    if (status.isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING)) {
      return published != null && mustSee(status).equals(mustSee(published.status()))
          ? PodReport.Urgency.IN_PASSING // stopped, removed: soon it is at the barrier, or runs
          : PodReport.Urgency.AT_ONCE; // its group waits for this
    }
    boolean allRun =
        pod.spec().containers().stream()
            .filter(container -> container.kind() == ContainerKind.REGULAR)
            .map(container -> status.container(container.name()))
            .allMatch(container ->
                container.filter(it -> it.state() instanceof ContainerState.Running).isPresent());
    return allRun ? PodReport.Urgency.AFTER_STARTS : PodReport.Urgency.AT_ONCE;
  }

  /** Most reports have nothing new to tell of restarts. */
  private Map<String, String> tell(RestartHistory history) {
    if (!history.equals(told)) {
      told = history;
      telling = RestartHistories.annotations(history);
    }
    return telling;
  }

  @Override
  public void perform(Effect effect) throws EffectFailure, InterruptedException {
    switch (effect) {
      case Effect.Remember(var cycle) -> {
        containers.remember(cycle);
        moments.remembered(cycle);
      }
      case Effect.CreateSandbox() -> containers.sandbox().create(view, address);
      case Effect.Start start -> {
        var now = view;
        if (started(now, start)) {
          lastRuns.merge(start.container(), start.run(), Math::max);
          countAgain(start);
          moments.started(start, now.spec());
        }
      }
      case Effect.BeginStop stop -> {
        moments.stopping(stop.container(), stop.why());
        containers.beginStop(view, stop, address);
      }
      case Effect.Signal signal -> {
        moments.signalled(signal);
        containers.signal(view, signal);
      }
      case Effect.Remove(var ids) -> containers.remove(ids);
      case Effect.StopSandbox _ -> containers.sandbox().stop();
      case Effect.KillSandbox _ -> containers.sandbox().kill();
      case Effect.Emit(var event) -> emit(event);
    }
  }

  @Override
  public void settle(PodPlan plan) throws EffectFailure, InterruptedException {
    switch (plan.standing()) {
      case ALIVE -> keepVolumes();
      case ENDED -> containers.ended();
      case REMOVABLE -> {
        containers.ended();
        letGo();
      }
    }
  }

  private boolean started(NodePod now, Effect.Start start) throws InterruptedException {
    services.starts().begin();
    try {
      return containers.start(now, start, address);
    } finally {
      services.starts().end();
    }
  }

  private void keepVolumes() throws InterruptedException {
    if (seen != null && seen.sandbox().isReady()) { // else the volumes are not there yet
      containers.keepVolumes(view, address);
    }
  }

  /** Ends every thread of this pod; containers keep running. */
  void stop() throws InterruptedException {
    containers.stop();
    reporter.stop();
    moments.left();
  }

  private void countAgain(Effect.Start start) {
    if (seen != null && start.run() > 0) {
      moments.startedAgain(
          StartCause.of(looked.spec(), seen, rules, containers.cycle(), start.container()));
    }
  }

  /** News of a program are worth a write in a group, or after a restart, also of all its Jobs. */
  private boolean tellsProgram(PodStatus status) {
    var labels = looked.pod().getMetadata().getLabels();
    boolean isMadeAnew =
        labels != null && !labels.getOrDefault(JobSetKeys.RESTART_ATTEMPT, "0").equals("0");
    return services.telling() == RestartTelling.ANNOTATED
        && (status.attempt().isPresent() || moments.hasRestarted() || isMadeAnew);
  }

  private static Set<String> regular(PodSpec spec) {
    return spec.containers().stream()
        .filter(container -> container.kind() == ContainerKind.REGULAR)
        .map(ContainerSpec::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The final status was sent: the object may vanish (TERM-08). */
  private void letGo() throws EffectFailure, InterruptedException {
    if (deleted) {
      return; // finalizers of others keep it
    }
    if (!reporter.flush(FINAL_STATUS)) {
      throw new EffectFailure("the final status was not accepted yet", null);
    }
    try {
      var now = view;
      services
          .api()
          .delete(
              Kinds.PODS,
              new ObjectKey(now.namespace(), now.name()),
              DeleteOptions.NONE.withGrace(0).onlyUid(now.uid()));
      deleted = true;
    } catch (ApiFailure failure) {
      if (!failure.conflict()) { // else a pod with another uid has its name
        throw new EffectFailure("removal refused: " + failure.getMessage(), null);
      }
      deleted = true;
    } catch (Transport.Unreachable e) {
      throw new EffectFailure("API server unreachable, the pod's object stays", e);
    }
  }

  private void emit(PodEvent event) {
    var now = view;
    var subject = EventRecorder.Subject.pod(now.namespace(), now.name(), now.uid());
    var type =
        switch (event.type()) {
          case NORMAL -> EventRecorder.Type.NORMAL;
          case WARNING -> EventRecorder.Type.WARNING;
        };
    services
        .events()
        .record(subject.field(event.fieldPath()), type, event.reason(), event.message());
  }

  /** IMM-03: a refused status is dropped as a whole; the API server would refuse it too. */
  private boolean allowed(NodePod now, PodStatus next) {
    var request = RestartRequests.of(now.pod().getMetadata().getAnnotations());
    boolean allowed = services.guard().allows(now.spec(), request, accepted, next);
    if (!allowed) {
      LOG.warn("pod {}: a container that ended for good would run again, status held", now.key());
    }
    return allowed;
  }

  /** States that differ here are written one by one: a watch sees each (CND-10). */
  private static String mustSee(PodStatus status) {
    var conditions =
        status.conditions().stream()
            .map(condition -> condition.type().wireName() + condition.status())
            .collect(Collectors.joining(" "));
    var counts =
        status.containers().stream()
            .map(container -> String.valueOf(container.restartCount()))
            .collect(Collectors.joining(" "));
    return status.phase() + " " + conditions + " " + counts + " " + status.attempt();
  }
}
