package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.node.Node;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import dev.regroup.runtime.embedded.harm.ContainerHarm;
import dev.regroup.runtime.fabric.Fabric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One of the nodes of this machine: a runtime and a node agent over directories of their own. It
 * can be stopped, which leaves its containers running as a network that is cut would, and switched
 * off, which ends them as a power cut would: nobody is told. Either way it can be started again.
 * For any thread; whoever reaches for the agent may find none.
 */
final class LocalNode {

  /**
   * Where a node lives.
   *
   * @param number the first is 1
   */
  record Place(int number, Path root) {

    Path runtime() {
      return root.resolve("runtime");
    }

    Path agent() {
      return root.resolve("node");
    }

    /** Pods that the runtime has something of. */
    Set<PodUid> pods() {
      try (var pods = Files.list(runtime().resolve("pods"))) {
        return pods.map(pod -> new PodUid(pod.getFileName().toString()))
            .collect(Collectors.toSet());
      } catch (IOException e) {
        return Set.of(); // the runtime was never opened
      }
    }
  }

  /** Makes the agent of a node over its runtime. */
  interface AgentMaker {
    Node start(LocalNode node, EmbeddedRuntime runtime) throws InterruptedException;
  }

  private final String name;
  private final Place place;
  private final EmbeddedRuntime.Settings settings;
  private @Nullable EmbeddedRuntime runtime;
  private boolean isOff;
  private volatile @Nullable Node agent;

  private LocalNode(String name, Place place, EmbeddedRuntime.Settings settings) {
    this.name = name;
    this.place = place;
    this.settings = settings;
  }

  /** Opens the runtime of a node, which finds the containers that still run. */
  static LocalNode open(String name, Place place, Path data, Fabric fabric, List<Path> secrets)
      throws CliFailure {
    var settings = EmbeddedRuntime.Settings.in(place.runtime()).withNetwork(fabric).hiding(data);
    for (Path secret : secrets) {
      settings = settings.hidingFile(secret);
    }
    var node = new LocalNode(name, place, settings);
    node.openRuntime();
    return node;
  }

  String name() {
    return name;
  }

  Place place() {
    return place;
  }

  /** The agent, while there is one. Any thread. */
  Optional<Node> agent() {
    return Optional.ofNullable(agent);
  }

  /** Pods whose containers run, as far as this program knows. */
  synchronized int pods() {
    if (runtime != null) {
      return runtime.sandboxes().size();
    }
    return isOff ? 0 : place.pods().size();
  }

  /** A container of this pod that runs on this node. */
  synchronized Optional<ContainerHarm> harm(PodUid pod, String container) throws RuntimeFailure {
    if (runtime == null) {
      return Optional.empty();
    }
    for (var record : runtime.containers(pod)) {
      if (record.key().name().equals(container) && record.state() == State.RUNNING) {
        return Optional.of(runtime.harm(record.key()));
      }
    }
    return Optional.empty();
  }

  synchronized void start(AgentMaker maker) throws CliFailure, InterruptedException {
    if (agent == null) {
      agent = maker.start(this, openRuntime());
      isOff = false;
    }
  }

  private EmbeddedRuntime openRuntime() throws CliFailure {
    var known = runtime;
    if (known == null) {
      try {
        known = EmbeddedRuntime.open(settings);
        runtime = known;
      } catch (IOException e) {
        throw new CliFailure(place.runtime() + ": " + Reason.of(e), e);
      }
    }
    return known;
  }

  /** Ends the agent; containers run on. */
  synchronized void stopAgent() throws InterruptedException {
    var known = agent;
    agent = null;
    if (known != null) {
      known.stop();
    }
  }

  /** Ends agent and runtime; containers run on. */
  synchronized void close() throws InterruptedException {
    stopAgent();
    if (runtime != null) {
      runtime.close();
      runtime = null;
    }
  }

  /** As a power cut: every process is killed, and nothing is written down or told. */
  synchronized void switchOff() throws CliFailure, RuntimeFailure, InterruptedException {
    stopAgent();
    openRuntime().endStrays();
    close();
    isOff = true;
  }

  /** Ends every container and forgets it. */
  synchronized void endEverything() throws CliFailure, RuntimeFailure, InterruptedException {
    var open = openRuntime();
    for (var pod : open.pods()) {
      open.removePod(pod);
    }
    open.endStrays(); // what no record knows
  }
}
