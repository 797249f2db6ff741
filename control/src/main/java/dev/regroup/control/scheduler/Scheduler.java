package dev.regroup.control.scheduler;

import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.claims.ClaimView;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Binds pods that ask for the default scheduler. A pod that fits nowhere is told so once and looked
 * at again when a node or a claim changes or another pod makes room.
 */
public final class Scheduler implements AutoCloseable {

  /** Whether requests of CPU, memory, devices and volumes count. */
  public enum Requests {
    WEIGHED,
    /** A manifest for a large cluster starts on one machine, whatever it asks for. */
    IGNORED
  }

  private static final Comparator<Item<Candidate>> FIRST_IN_LINE =
      Comparator.<Item<Candidate>>comparingInt(item -> -item.value().priority())
          .thenComparing(item -> item.value().created());

  private final ApiClient client;
  private final EventRecorder events;
  private final InstantSource clock;
  private final Requests requests;
  private final Informer<Candidate> pods;
  private final Informer<NodeChoice.Offer> nodes;
  private final PodClaims claims;
  private final NodeRoom room = new NodeRoom();
  private final WorkQueue<ObjectKey> queue;

  public Scheduler(
      SharedFeeds feeds,
      Transport transport,
      EventRecorder events,
      InstantSource clock,
      Requests requests) {
    this.client = new ApiClient(transport);
    this.events = events;
    this.clock = clock;
    this.requests = requests;
    this.pods =
        feeds
            .<Candidate>informer(Kinds.PODS, Candidate::of)
            .index("node", item -> List.of(item.value().node()))
            .index("claim", item -> item.value().isOurs() ? item.value().ask().claims() : Set.of());
    this.nodes = feeds.informer(Kinds.NODES, OfferReader::read);
    var known = feeds.<ClaimView>informer(Kinds.CLAIMS, ClaimView::of);
    this.claims = new PodClaims(client, known);
    this.queue =
        feeds
            .<ObjectKey>loop("scheduler", 16)
            .hears(pods, this::podChanged)
            .hears(nodes, _ -> wakeWaiting())
            .hears(known, this::claimChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private void podChanged(Delta<Candidate> delta) {
    switch (delta) {
      case Delta.Added<Candidate>(var item) -> seen(item);
      case Delta.Updated<Candidate>(_, var item) -> seen(item);
      case Delta.Removed<Candidate>(var before) -> release(before);
    }
    queue.add(delta.key());
  }

  private void claimChanged(Delta<ClaimView> delta) {
    pods.find("claim", delta.key().toString()).forEach(item -> queue.add(item.key()));
  }

  /** A pod that is nowhere may be on its way: only its end or its removal gives room back. */
  private void seen(Item<Candidate> pod) {
    var candidate = pod.value();
    if (candidate.hasEnded()) {
      release(pod);
    } else if (!candidate.node().isEmpty()) {
      room.hold(pod.uid(), candidate.node(), candidate.ask().amounts(), candidate.ask().claims());
    }
  }

  private void release(Item<Candidate> pod) {
    if (room.release(pod.uid())) {
      wakeWaiting();
    }
  }

  private void wakeWaiting() {
    pods.find("node", "").stream()
        .filter(item -> item.value().isOurs())
        .sorted(FIRST_IN_LINE)
        .forEach(item -> queue.add(item.key()));
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var found = pods.get(key);
    if (found.isEmpty() || !found.get().value().isOurs()) {
      return Outcome.settled();
    }
    var pod = found.get();
    switch (place(pod)) {
      case NodeChoice.OnNode(String node) -> {
        var open = claims.open(pod.value().ask());
        if (open.isEmpty()) {
          bind(pod, node);
        } else {
          room.release(pod.uid()); // until the volumes are there; each of them wakes the pod
          claims.select(open, node);
        }
      }
      case NodeChoice.Nowhere(String message) -> wait(pod, message);
    }
    return Outcome.settled();
  }

  private NodeChoice place(Item<Candidate> pod) {
    var ask = pod.value().ask();
    var offers = nodes.all().stream().map(Item::value).toList();
    String devices = pod.value().devices();
    var problem =
        devices.isEmpty()
            ? claims.problem(ask)
            : Optional.of("could not find v1/ResourceClaim \"%s\"".formatted(devices));
    if (problem.isPresent()) {
      return NodeChoice.refused(ask, problem.get(), offers.size());
    }
    var known = ask.withExclusiveClaims(claims.exclusive(ask));
    return room.place(
        pod.uid(), requests == Requests.WEIGHED ? known : known.withAmounts(Amounts.NONE), offers);
  }

  private void bind(Item<Candidate> pod, String node)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var binding = Wire.object().put("apiVersion", "v1").put("kind", "Binding");
    binding.putObject("metadata").put("name", pod.key().name()).put("uid", pod.uid());
    binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
    try {
      client.post(Kinds.PODS, pod.key(), "binding", Wire.write(binding));
    } catch (ApiFailure failure) {
      if (failure.notFound() || failure.conflict()) {
        release(pod); // deleted, or bound by somebody else, which may be known already
        pods.get(pod.key()).ifPresent(this::seen);
        return;
      }
      throw failure;
    }
    events.normal(
        about(pod), "Scheduled", "Successfully assigned %s to %s".formatted(pod.key(), node));
  }

  private void wait(Item<Candidate> pod, String message)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (pod.value().told().equals(message)) {
      return;
    }
    var patch = Wire.object();
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("observedGeneration", pod.value().generation())
        .put("type", "PodScheduled")
        .put("status", "False")
        .put("reason", "Unschedulable")
        .put("message", message)
        .put("lastTransitionTime", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    client.patch(
        Kinds.PODS,
        pod.key(),
        "status",
        new Patch(Patch.Type.STRATEGIC_MERGE, Wire.write(patch)),
        WriteOptions.by(Candidate.SCHEDULER));
    events.warning(about(pod), "FailedScheduling", message);
  }

  private static EventRecorder.Subject about(Item<Candidate> pod) {
    return EventRecorder.Subject.of("v1", "Pod", pod.key(), pod.uid());
  }
}
