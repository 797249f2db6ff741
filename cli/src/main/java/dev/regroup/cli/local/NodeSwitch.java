package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.runtime.RuntimeFailure;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The switch of each node of a running cluster: {@code kill NAME} and the like. */
public final class NodeSwitch {

  private static final Logger LOG = LoggerFactory.getLogger(NodeSwitch.class);

  /** What can be done to a node. */
  public enum Act {
    STOP("stopped; its containers run on"),
    KILL("switched off; its containers are gone"),
    START("started");

    private final String done;

    Act(String done) {
      this.done = done;
    }

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static Optional<Act> of(String word) {
      return Arrays.stream(values()).filter(act -> act.word().equals(word)).findFirst();
    }
  }

  private final LocalNodes nodes;

  NodeSwitch(LocalNodes nodes) {
    this.nodes = nodes;
  }

  /** Asks the cluster of this directory, waits until it is done, and returns what it says. */
  public static String ask(Path directory, Act act, String node) throws CliFailure {
    return ControlSocket.ask(directory, act.word() + " " + node);
  }

  String answer(String line) throws CliFailure, InterruptedException {
    var words = List.of(line.split(" ", 2));
    var act = Act.of(words.getFirst());
    if (act.isEmpty() || words.size() < 2) {
      throw new CliFailure(
          CliFailure.Code.USAGE,
          "one of "
              + Arrays.stream(Act.values()).map(Act::word).collect(Collectors.joining(", "))
              + " and the name of a node, not \""
              + line
              + "\"",
          null);
    }
    String node = words.get(1);
    try {
      switch (act.get()) {
        case STOP -> nodes.stop(node);
        case KILL -> nodes.kill(node);
        case START -> nodes.start(node);
      }
      LOG.info("node {} {}", node, act.get().done);
      return "node %s %s".formatted(node, act.get().done);
    } catch (RuntimeFailure | RuntimeException e) {
      LOG.error("node {} cannot be switched", node, e);
      throw new CliFailure("node " + node + ": " + e.getMessage(), e);
    }
  }
}
