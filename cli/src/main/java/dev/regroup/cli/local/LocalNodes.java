package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.Metrics;
import dev.regroup.runtime.FileTrees;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.embedded.harm.ContainerHarm;
import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.server.NodeAccess;
import dev.regroup.server.talk.CommandStreams;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The nodes of this machine. The first has the machine's name and the directories a single node
 * always had; the others have a number behind the name and live below {@code nodes}. How many there
 * are is remembered by their directories. Logs and talks go to the node that has the pod.
 *
 * <p>Starting and stopping is done by one caller at a time; reaching into a node by any.
 */
final class LocalNodes implements NodeAccess {

  private static final String FOLDER = "nodes";

  private final List<LocalNode> nodes;
  private final List<String> takenAway;
  private final LocalNode.AgentMaker maker;
  private final Metrics metrics;

  private LocalNodes(
      List<LocalNode> nodes, List<String> takenAway, LocalNode.AgentMaker maker, Metrics metrics) {
    this.nodes = List.copyOf(nodes);
    this.takenAway = List.copyOf(takenAway);
    this.maker = maker;
    this.metrics = metrics;
  }

  /**
   * Opens the runtimes of so many nodes. Nodes of an earlier start that are no longer wanted are
   * machines taken away: what runs on them ends, and their directories go.
   */
  static LocalNodes open(
      LocalCluster.Settings settings, Fabric fabric, LocalNode.AgentMaker maker, Metrics metrics)
      throws CliFailure, RuntimeFailure, InterruptedException {
    Path data = settings.directory();
    int known = known(data);
    int wanted = settings.nodes().orElse(known);
    var open = new ArrayList<LocalNode>();
    var takenAway = new ArrayList<String>();
    try {
      for (int number = 1; number <= Math.max(known, wanted); number++) {
        var place = place(data, number);
        if (number <= wanted) {
          open.add(LocalNode.open(name(number), place, data, fabric, settings.secrets()));
        } else {
          takeAway(LocalNode.open(name(number), place, data, fabric, List.of()));
          takenAway.add(name(number));
        }
      }
      return new LocalNodes(open, takenAway, maker, metrics);
    } catch (CliFailure | RuntimeFailure | InterruptedException | RuntimeException e) {
      for (var node : open) {
        node.close();
      }
      throw e;
    }
  }

  /** Ends what runs on all nodes of a directory that nobody serves. */
  static void endEverything(Path data, Fabric fabric)
      throws CliFailure, RuntimeFailure, InterruptedException {
    for (int number = 1; number <= known(data); number++) {
      var node = LocalNode.open(name(number), place(data, number), data, fabric, List.of());
      try {
        node.endEverything();
      } finally {
        node.close();
      }
    }
  }

  /** How many nodes a directory has, at least one. */
  static int known(Path data) {
    try (var folders = Files.list(data.resolve(FOLDER))) {
      return folders
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.matches("[1-9][0-9]{0,3}"))
          .mapToInt(Integer::parseInt)
          .max()
          .orElse(1);
    } catch (IOException e) {
      return 1; // there never was a second
    }
  }

  /** Whether anything of a pod is left in a directory. */
  static boolean hasPods(Path data) {
    return IntStream.rangeClosed(1, known(data))
        .anyMatch(number -> !place(data, number).pods().isEmpty());
  }

  private static LocalNode.Place place(Path data, int number) {
    Path root = number == 1 ? data : data.resolve(FOLDER).resolve("" + number);
    return new LocalNode.Place(number, root);
  }

  private static String name(int number) {
    return number == 1 ? HostName.get() : HostName.get() + "-" + number;
  }

  private static void takeAway(LocalNode node)
      throws CliFailure, RuntimeFailure, InterruptedException {
    try {
      node.endEverything();
    } finally {
      node.close();
    }
    try {
      FileTrees.delete(node.place().root());
    } catch (IOException e) {
      throw new CliFailure(node.place().root() + ": cannot be deleted: " + Reason.of(e), e);
    }
  }

  /** Starts the agents, one after the other. */
  void start() throws CliFailure, InterruptedException {
    for (var node : nodes) {
      node.start(maker);
    }
  }

  int size() {
    return nodes.size();
  }

  /** Nodes of an earlier start that are none any more. */
  List<String> takenAway() {
    return takenAway;
  }

  int pods() {
    return nodes.stream().mapToInt(LocalNode::pods).sum();
  }

  /** Pods that any of the nodes has something of. */
  Set<PodUid> records() {
    var all = new HashSet<PodUid>();
    nodes.forEach(node -> all.addAll(node.place().pods()));
    return all;
  }

  void stopAgents() throws InterruptedException {
    for (var node : nodes.reversed()) {
      node.stopAgent();
    }
  }

  void close() throws InterruptedException {
    for (var node : nodes.reversed()) {
      node.close();
    }
  }

  void endEverything() throws CliFailure, RuntimeFailure, InterruptedException {
    for (var node : nodes) {
      node.endEverything();
    }
  }

  /** Something about the disk below the API changed. */
  void reportNow() {
    nodes.forEach(node -> node.agent().ifPresent(agent -> agent.reportNow()));
  }

  /** Starts one that was stopped or switched off. */
  void start(String name) throws CliFailure, InterruptedException {
    named(name).start(maker);
  }

  /** Stops the agent of a node; its containers run on. */
  void stop(String name) throws CliFailure, InterruptedException {
    named(name).close();
  }

  /** Switches a node off. */
  void kill(String name) throws CliFailure, RuntimeFailure, InterruptedException {
    named(name).switchOff();
  }

  /** A running container of a pod, to be hurt. */
  ContainerHarm harm(PodUid pod, String container) throws CliFailure, RuntimeFailure {
    for (var node : nodes) {
      var found = node.harm(pod, container);
      if (found.isPresent()) {
        return found.get();
      }
    }
    throw new CliFailure(
        CliFailure.Code.NOT_FOUND,
        "no container \"%s\" of pod %s runs here".formatted(container, pod),
        null);
  }

  private LocalNode named(String name) throws CliFailure {
    return nodes.stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new CliFailure(
                CliFailure.Code.NOT_FOUND,
                "no node \"%s\" here (there is %s)"
                    .formatted(
                        name,
                        nodes.stream().map(LocalNode::name).collect(Collectors.joining(", "))),
                null));
  }

  private NodeInProcess connected(String name) throws NodeFailure {
    return nodes.stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .flatMap(LocalNode::agent)
        .map(agent -> new NodeInProcess(agent, metrics))
        .orElseThrow(
            () -> new NodeFailure(502, "node " + name + " is not connected to this server"));
  }

  @Override
  public Transport.Stream logs(ContainerRef container, LogOptions options) throws NodeFailure {
    return connected(container.node()).logs(container, options);
  }

  @Override
  public CommandStreams exec(ContainerRef container, List<String> command, Stdin stdin)
      throws NodeFailure, InterruptedException {
    return connected(container.node()).exec(container, command, stdin);
  }

  @Override
  public CommandStreams attach(ContainerRef container, Stdin stdin, AtEnd atEnd)
      throws NodeFailure, InterruptedException {
    return connected(container.node()).attach(container, stdin, atEnd);
  }

  @Override
  public SocketChannel connect(PodRef pod, int port) throws NodeFailure, InterruptedException {
    return connected(pod.node()).connect(pod, port);
  }

  @Override
  public Response page(String node, String path) throws NodeFailure {
    return connected(node).page(node, path);
  }
}
