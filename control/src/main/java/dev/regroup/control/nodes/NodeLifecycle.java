package dev.regroup.control.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.node.LeaseText;
import dev.regroup.api.node.NodeReader;
import dev.regroup.api.node.NodeWriter;
import dev.regroup.api.tree.Trees;
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
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.rules.node.NodeHealth;
import dev.regroup.rules.node.NodeHealth.Said;
import dev.regroup.rules.node.NodeHealth.Voice;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.rules.node.Taint;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the heartbeats of nodes and says of one that is silent that nobody knows how it is
 * (JB-113): taints, then conditions. {@link NodeHealth} decides; a node that speaks again is
 * believed. Before a node is declared lost its lease is read once more, and a write of this
 * controller's own proves that the API takes writes at all: with a full disk no node can be heard.
 */
public final class NodeLifecycle implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodeLifecycle.class);
  private static final String LEASES = "kube-node-lease";
  private static final Duration SOON = Duration.ofMillis(20);

  /** Written when a node is about to be declared lost, for no other purpose. */
  private static final ObjectKey PROOF = new ObjectKey("kube-system", "node-lifecycle-controller");

  private record View(Said said, String heartbeat, Set<Taint> taints) {
    static View of(ObjectNode node) {
      return new View(
          NodeReader.said(node),
          NodeReader.heartbeat(node),
          NodeReader.taints(node).stream()
              .filter(taint -> NodeHealth.KEYS.contains(taint.key()))
              .collect(Collectors.toSet()));
    }
  }

  private final ApiClient client;
  private final EventRecorder events;
  private final InstantSource clock;
  private final Awake awake;
  private final NodeLossSettings settings;
  private final Informer<View> nodes;
  private final Informer<String> leases;
  private final Map<String, Duration> heard = new ConcurrentHashMap<>(); // by name, waking time
  private final WorkQueue<String> queue;

  public NodeLifecycle(
      SharedFeeds feeds,
      Transport transport,
      EventRecorder events,
      InstantSource clock,
      Awake awake,
      NodeLossSettings settings) {
    this.client = new ApiClient(transport);
    this.events = events;
    this.clock = clock;
    this.awake = awake;
    this.settings = settings;
    this.nodes = feeds.informer(Kinds.NODES, View::of);
    this.leases = feeds.informer(Kinds.LEASES, LeaseText::renewed);
    this.queue =
        feeds
            .<String>loop("node-lifecycle", 1)
            .hears(nodes, this::nodeChanged)
            .hears(leases, this::leaseChanged)
            .run(this::handle);
  }

  @Override
  public void close() {
    queue.close();
  }

  private void nodeChanged(Delta<View> delta) {
    var before = delta.old().map(item -> item.value().heartbeat());
    var now = delta.now().map(item -> item.value().heartbeat());
    if (now.isPresent() && !now.equals(before)) {
      heard.put(delta.key().name(), awake.now());
    }
    queue.add(delta.key().name());
  }

  private void leaseChanged(Delta<String> delta) {
    boolean ofNode = delta.key().namespace().equals(LEASES);
    var before = delta.old().map(item -> item.value());
    var now = delta.now().map(item -> item.value());
    if (ofNode && now.isPresent() && !now.equals(before)) {
      heard.put(delta.key().name(), awake.now());
    }
  }

  private Outcome handle(String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var known = nodes.get(ObjectKey.cluster(name));
    if (known.isEmpty()) {
      heard.remove(name);
      return Outcome.settled();
    }
    var view = known.get().value();
    var voice = voice(name);
    var health = NodeHealth.of(view.said(), voice);
    boolean declares = voice == Voice.SILENT && view.said() != Said.UNKNOWN;
    if (declares && !isSure(name)) {
      heard.put(name, awake.now());
    } else if (declares || !view.taints().equals(Set.copyOf(health.taints()))) {
      var outcome = write(name);
      if (outcome instanceof Outcome.TryAgain) {
        return outcome;
      }
    }
    return Outcome.tryAgain(settings.period(), "it may fall silent");
  }

  private Voice voice(String name) {
    var now = awake.now();
    var last = heard.computeIfAbsent(name, _ -> now);
    return now.minus(last).compareTo(settings.grace()) < 0 ? Voice.HEARD : Voice.SILENT;
  }

  /** Whether the lease really did not move, and could have moved. */
  private boolean isSure(String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key = new ObjectKey(LEASES, name);
    var seen = leases.get(key).map(item -> item.value()).orElse("");
    var stored = client.get(Kinds.LEASES, key).map(LeaseText::renewed).orElse("");
    if (!stored.equals(seen)) {
      return false;
    }
    try {
      prove();
      return true;
    } catch (ApiFailure | Transport.Unreachable e) {
      LOG.info("node {} is silent, but the API takes no writes: {}", name, e.getMessage());
      return false;
    }
  }

  private void prove() throws ApiFailure, Transport.Unreachable, InterruptedException {
    var renewal = LeaseText.renewal(PROOF.name(), settings.period(), clock.instant());
    try {
      client.mergePatch(Kinds.LEASES, PROOF, Wire.text(renewal));
    } catch (ApiFailure failure) {
      if (!failure.notFound()) {
        throw failure;
      }
      var lease = LeaseText.object(renewal, PROOF.namespace(), PROOF.name());
      client.create(Kinds.LEASES, PROOF.namespace(), lease);
    }
  }

  /** Of the node as it is stored now: somebody may have changed it. */
  private Outcome write(String name)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var key = ObjectKey.cluster(name);
    var found = client.get(Kinds.NODES, key);
    if (found.isEmpty()) {
      return Outcome.settled();
    }
    var node = found.get();
    var voice = voice(name);
    var health = NodeHealth.of(NodeReader.said(node), voice);
    try {
      var taints = NodeWriter.taints(node, health, clock.instant());
      if (taints.isPresent()) {
        client.mergePatch(Kinds.NODES, key, Wire.text(taints.get()));
      }
    } catch (ApiFailure failure) {
      if (failure.conflict()) {
        return Outcome.tryAgain(SOON, "changed meanwhile");
      }
      throw failure;
    }
    var silence = NodeWriter.silence(node, clock.instant());
    if (voice == Voice.SILENT && silence.isPresent()) {
      client.patch(
          Kinds.NODES,
          key,
          "status",
          new Patch(Patch.Type.STRATEGIC_MERGE, Wire.write(silence.get())),
          WriteOptions.NONE);
      LOG.info("node {} was not heard for {}", name, settings.grace());
      events.normal(
          EventRecorder.Subject.of("v1", "Node", key, Trees.text(node, "metadata", "uid")),
          "NodeNotReady",
          "Node %s status is now: NodeNotReady".formatted(name));
    }
    return Outcome.settled();
  }
}
