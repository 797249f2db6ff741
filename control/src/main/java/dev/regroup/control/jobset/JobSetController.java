package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSet;
import dev.regroup.api.tree.Owner;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.job.JobFeed;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.group.Wake;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.node.NodeLossSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs JobSets (jobset.md section 4): looks at a JobSet and its Jobs, asks {@link JobSetPlan},
 * performs the effects, writes the status once, then tells about it. JobSets are handled side by
 * side, each by one worker at a time; a pass that a group waits for goes first (JS-159).
 *
 * <p>What pods report is read and counted as they change, by the {@link GroupWatch} of their
 * JobSet; a pass takes the counts, and {@link JobSetPlan} has {@link
 * dev.regroup.rules.group.GroupPlan} decide about them.
 */
public final class JobSetController implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(JobSetController.class);

  /** Status writes that carry only counts while a group restarts (JS-157). */
  private static final Duration LAZY = Duration.ofSeconds(5);

  private static final int WORKERS = 8;

  /** What the controller is told once, where it is wired. */
  public record Settings(
      JobSetGates gates,
      NodeLossSettings.Groups lostNodes,
      InstantSource clock,
      CrashPoint crashPoint,
      BugFiles bugs,
      Metrics metrics,
      JobSetPlace place) {}

  private final ApiClient client;
  private final JobFeed jobs;
  private final PodFeed pods;
  private final NodeFeed nodes;
  private final Informer<JobSetView> jobSets;
  private final Informer<Optional<Owner>> services;
  private final EventRecorder events;
  private final InstantSource clock;
  private final JobSetGates gates;
  private final JobSetPlace place;
  private final JobSetEffects effects;
  private final BugFiles bugs;
  private final JobSetFigures figures;
  private final RePatterns patterns = new RePatterns();
  private final Map<String, Memory> memories = new ConcurrentHashMap<>(); // by UID
  private final WorkQueue<ObjectKey> queue;

  /** What is remembered of one JobSet; used by its worker, except the watch. */
  private static final class Memory {
    final GroupWatch watch;
    final Set<String> claims = new HashSet<>();
    final Set<JobSetPlan.Note> told = new HashSet<>();
    volatile Optional<Item<JobSetView>> written = Optional.empty();
    Instant lastWrite = Instant.MIN;
    @Nullable JobSetLook last;

    Memory(GroupWatch watch) {
      this.watch = watch;
    }
  }

  public JobSetController(
      SharedFeeds feeds,
      Transport transport,
      JobFeed jobs,
      PodFeed pods,
      EventRecorder events,
      Settings settings) {
    this.client = new ApiClient(transport);
    this.jobs = jobs;
    this.pods = pods;
    this.events = events;
    this.gates = settings.gates();
    this.place = settings.place();
    this.clock = settings.clock();
    this.bugs = settings.bugs();
    this.figures = new JobSetFigures(settings.metrics());
    this.effects = new JobSetEffects(client, events, gates, place, settings.crashPoint());
    this.nodes = new NodeFeed(feeds, settings.lostNodes());
    this.jobSets = feeds.informer(Kinds.JOB_SETS, JobSetView::read);
    this.services = feeds.informer(Kinds.SERVICES, Owner::controller);
    this.queue =
        feeds
            .<ObjectKey>loop("jobset", WORKERS)
            .hears(jobSets, this::jobSetChanged)
            .wakes(jobs.informer(), job -> jobSet(job.key(), job.value().controller()))
            .wakes(services, service -> jobSet(service.key(), service.value()))
            .hears(pods.informer(), this::podChanged)
            .hears(nodes.informer(), this::nodeChanged)
            .run(this::look);
    settings.metrics().gauge(JobSetFigures.AT_BARRIER, this::atBarrier);
  }

  /** Asked by whoever looks at the figures. */
  private double atBarrier() {
    return memories.values().stream().mapToInt(memory -> memory.watch.atBarrier()).sum();
  }

  @Override
  public void close() {
    queue.close();
  }

  static Item<JobSetView> item(ObjectKey key, ObjectNode jobSet) {
    var metadata = jobSet.path("metadata");
    return new Item<>(
        key,
        metadata.path("uid").asText(""),
        metadata.path("resourceVersion").asText(""),
        JobSetView.read(jobSet));
  }

  static EventRecorder.Subject about(Item<JobSetView> jobSet) {
    return EventRecorder.Subject.of(JobSet.API_VERSION, JobSet.KIND, jobSet.key(), jobSet.uid());
  }

  private void jobSetChanged(Delta<JobSetView> change) {
    if (change instanceof Delta.Removed<JobSetView>(Item<JobSetView> gone)) {
      memories.remove(gone.uid());
    } else {
      queue.add(change.key());
    }
  }

  /** The JobSet among the owners of what it made. */
  private static Optional<ObjectKey> jobSet(ObjectKey child, Optional<Owner> owner) {
    return owner
        .filter(one -> one.kind().equals("JobSet"))
        .map(one -> new ObjectKey(child.namespace(), one.name()));
  }

  /** Runs on the pod informer's thread, for every pod: costs the same in every group. */
  private void podChanged(Delta<ControlledPod> change) {
    var pod = change.now().or(change::old).orElseThrow();
    count(pod, watch -> changed(watch, change));
  }

  private void count(Item<ControlledPod> pod, Function<GroupWatch, Wake> counting) {
    var group = pod.value().group();
    if (group.isEmpty()) {
      return;
    }
    var key = new ObjectKey(pod.key().namespace(), group.get().jobSet());
    var jobSet = jobSets.get(key);
    var memory = jobSet.map(one -> memories.get(one.uid()));
    if (memory.isEmpty()) {
      return; // its first pass reads all pods
    }
    try {
      wake(key, counting.apply(memory.get().watch));
    } catch (RuntimeException e) { // one pod must not make a group stand still
      LOG.error("pod {}: cannot be counted, its group is counted anew", pod.key(), e);
      memory.get().watch.distrust();
      queue.addUrgent(key);
    }
  }

  private static Wake changed(GroupWatch watch, Delta<ControlledPod> change) {
    return switch (change) {
      case Delta.Removed<ControlledPod>(Item<ControlledPod> gone) -> watch.gone(gone);
      case Delta.Added<ControlledPod>(Item<ControlledPod> pod) -> watch.changed(pod);
      case Delta.Updated<ControlledPod>(_, Item<ControlledPod> pod) -> watch.changed(pod);
    };
  }

  /** Runs on the node informer's thread: the pods may change while it goes through them. */
  private void nodeChanged(Delta<Boolean> change) {
    if (NodeFeed.differs(change)) {
      for (var pod : pods.onNode(change.key().name())) {
        count(pod, watch -> watch.lookAgain(() -> pods.get(pod.key())));
      }
    }
  }

  private void wake(ObjectKey key, Wake wake) {
    switch (wake) {
      case NOW -> queue.addUrgent(key);
      case SOON -> queue.add(key);
      case NO -> {}
    }
  }

  private Outcome look(ObjectKey key) throws Exception {
    var cached = jobSets.get(key);
    if (cached.isEmpty()) {
      return Outcome.settled();
    }
    var memory =
        memories.computeIfAbsent(
            cached.get().uid(),
            _ -> new Memory(new GroupWatch(pods::controlledBy, nodes::unreachable, clock)));
    if (jobSets.get(key).filter(now -> now.uid().equals(cached.get().uid())).isEmpty()) {
      memories.remove(cached.get().uid()); // it went meanwhile, and nobody else would forget it
      return Outcome.settled();
    }
    var jobSet = newest(cached.get(), memory);
    if (jobSet.value().deleting() || !place.charge().covers(jobSet.value().tree())) {
      return Outcome.settled(); // JS-73
    }
    try {
      return look(jobSet, memory);
    } catch (RuntimeException bug) { // the queue says so and tries again
      if (memory.last != null) {
        bugs.note("jobset-" + key, memory.last, bug);
      }
      throw bug;
    }
  }

  private Outcome look(Item<JobSetView> jobSet, Memory memory) throws Exception {
    var plan = plan(jobSet, memory);
    effects.perform(jobSet, plan.effects());
    memory.claims.addAll(JobSetEffects.claims(plan.effects()));
    return finish(jobSet, plan, memory);
  }

  private JobSetPlan plan(Item<JobSetView> jobSet, Memory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var spec = jobSet.value().spec();
    var status = jobSet.value().status();
    var owned = jobs.controlledBy(jobSet.uid());
    var children = owned.stream().map(job -> job.value().child()).toList();
    boolean inPlace = spec.inPlace() && gates.inPlaceRestart();
    if (inPlace) {
      follow(spec, status, owned, children, memory);
    }
    Set<String> confirmed = new HashSet<>();
    while (true) { // ends: every turn but the last confirms one more Job
      var group =
          inPlace
              ? Optional.of(memory.watch.snapshot(request(jobSet.value()), confirmed))
              : Optional.<JobSetPlan.Group>empty();
      var look =
          new JobSetLook(
              spec, status, gates, children, world(spec, memory), group, clock.instant());
      memory.last = look;
      var plan = look.plan(patterns);
      if (plan.question().isEmpty()) {
        return plan;
      }
      var job = plan.question().get().job();
      effects.read(jobSet.key().namespace(), job).ifPresent(memory.watch::learn);
      confirmed.add(job);
    }
  }

  /**
   * Only where the status keeps what the controller counts, as RestartAsk looks at it: elsewhere
   * the definition of JobSet is not ours, nobody could remember that a request was served, and it
   * would be served for ever.
   */
  private static Optional<GroupRestartRequest> request(JobSetView jobSet) {
    return jobSet.status().group().counted().isPresent() ? jobSet.request() : Optional.empty();
  }

  private void follow(
      JobSetSpec spec,
      JobSetStatus status,
      List<Item<JobView>> owned,
      List<ChildJob> children,
      Memory memory) {
    Set<String> counting = new HashSet<>();
    JobSetPlan.generation(spec, status, gates, children)
        .forEach(child -> counting.add(child.uid()));
    memory.watch.follow(
        owned.stream().filter(job -> counting.contains(job.uid())).toList(),
        JobSetPlan.roster(spec, status, gates, children),
        status);
  }

  private JobSetPlan.World world(JobSetSpec spec, Memory memory) {
    boolean service =
        spec.network()
            .map(network -> new ObjectKey(spec.namespace(), network.subdomain()))
            .flatMap(services::get)
            .isPresent();
    return new JobSetPlan.World(service, memory.claims);
  }

  /** A write that nobody waits for takes along what restarts have cost. */
  private JobSetPlan withCosts(Item<JobSetView> jobSet, JobSetPlan plan, Memory memory) {
    return plan.tellsCosts(memory.watch.costNews())
        ? plan.withCosts(
            jobSet.value().status(), memory.watch.tellers(jobs.controlledBy(jobSet.uid())))
        : plan;
  }

  private Outcome finish(Item<JobSetView> jobSet, JobSetPlan decided, Memory memory)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var now = clock.instant();
    if (decided.write() == JobSetPlan.Write.LAZY && memory.lastWrite.plus(LAZY).isAfter(now)) {
      var wait = Duration.between(now, memory.lastWrite.plus(LAZY));
      return Outcome.tryAgain(wait, "only counts changed during a group restart");
    }
    var plan = withCosts(jobSet, decided, memory);
    if (plan.write() != JobSetPlan.Write.NOTHING) {
      effects.tellOnce(jobSet, plan.notes());
      try {
        memory.written = Optional.of(effects.write(jobSet, plan));
        memory.lastWrite = now;
        figures.written(jobSet.key(), jobSet.value().status(), plan.status());
      } catch (ApiFailure failure) {
        if (!failure.conflict()) {
          throw failure;
        }
        memory.written = client.get(Kinds.JOB_SETS, jobSet.key()).map(o -> item(jobSet.key(), o));
        queue.addUrgent(jobSet.key());
        return Outcome.settled();
      }
    }
    tell(jobSet, plan.notes(), memory);
    if (plan.write() == JobSetPlan.Write.ORDER) {
      queue.addUrgent(jobSet.key()); // what the order leads to is the next pass's work
    }
    return next(plan, now);
  }

  /** A note about something that lasts is told once. */
  private void tell(Item<JobSetView> jobSet, List<JobSetPlan.Note> notes, Memory memory) {
    for (var note : notes) {
      if (note.once()) {
        continue; // told before the status was written
      }
      boolean lasts = note.reason().equals("InvalidInPlaceRestartAttempt");
      if (lasts && !memory.told.add(note)) {
        continue;
      }
      if (note.warning()) {
        events.warning(about(jobSet), note.reason(), note.message());
      } else {
        events.normal(about(jobSet), note.reason(), note.message());
      }
    }
  }

  private static Outcome next(JobSetPlan plan, Instant now) {
    if (plan.wakeUp().equals(Instant.MAX)) {
      return Outcome.settled();
    }
    var wait = Duration.between(now, plan.wakeUp());
    return Outcome.tryAgain(wait.isNegative() ? Duration.ZERO : wait, "the plan says so");
  }

  /** The newer of what the cache shows and what was last written. */
  private static Item<JobSetView> newest(Item<JobSetView> cached, Memory memory) {
    return memory
        .written
        .filter(own -> own.uid().equals(cached.uid()) && version(own) > version(cached))
        .orElse(cached);
  }

  private static long version(Item<?> item) {
    try {
      return Long.parseLong(item.resourceVersion());
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
