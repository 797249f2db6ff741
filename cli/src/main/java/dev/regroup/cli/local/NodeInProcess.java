package dev.regroup.cli.local;

import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.Metrics;
import dev.regroup.node.ContainerTalks;
import dev.regroup.node.Node;
import dev.regroup.node.PodLogs;
import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerRuntime.InputEnd;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.WindowSize;
import dev.regroup.server.NodeAccess;
import dev.regroup.server.talk.CommandStreams;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Lets the server reach a node in the same process: logs, talks, pages. */
final class NodeInProcess implements NodeAccess {

  private final Node node;
  private final Metrics metrics;

  NodeInProcess(Node node, Metrics metrics) {
    this.node = node;
    this.metrics = metrics;
  }

  @Override
  public Transport.Stream logs(ContainerRef container, LogOptions options) throws NodeFailure {
    var wanted =
        new PodLogs.Options(
            options.follow() ? PodLogs.Options.Mode.FOLLOW : PodLogs.Options.Mode.SNAPSHOT,
            options.previous() ? PodLogs.Options.Which.PREVIOUS : PodLogs.Options.Which.CURRENT,
            options.timestamps() ? PodLogs.Options.Stamps.TIME : PodLogs.Options.Stamps.NONE,
            Optional.ofNullable(options.since()),
            options.tailLines(),
            options.limitBytes(),
            options.run());
    try {
      return node.logs().open(container.pod(), container.podUid(), container.container(), wanted);
    } catch (PodLogs.NoLog e) {
      throw new NodeFailure(e.code(), String.valueOf(e.getMessage()));
    }
  }

  @Override
  public CommandStreams exec(ContainerRef container, List<String> command, Stdin stdin)
      throws NodeFailure, InterruptedException {
    var console =
        switch (stdin) {
          case NONE -> Console.NONE;
          case PIPE -> Console.INPUT;
          case TERMINAL -> Console.TERMINAL;
        };
    try {
      var request = new ExecRequest(command, console);
      return new Session(node.talks().exec(container.podUid(), container.container(), request));
    } catch (ContainerTalks.NoTalk e) {
      throw failure(e);
    }
  }

  @Override
  public CommandStreams attach(ContainerRef container, Stdin stdin, AtEnd atEnd)
      throws NodeFailure, InterruptedException {
    var end =
        switch (atEnd) {
          case GOES_ON -> InputEnd.DETACHES;
          case ENDS_INPUT -> InputEnd.ENDS_INPUT;
        };
    try {
      return new Session(node.talks().attach(container.podUid(), container.container(), end));
    } catch (ContainerTalks.NoTalk e) {
      throw failure(e);
    }
  }

  @Override
  public SocketChannel connect(PodRef pod, int port) throws NodeFailure, InterruptedException {
    try {
      return node.talks().connect(pod.podUid(), port);
    } catch (ContainerTalks.NoTalk e) {
      throw failure(e);
    }
  }

  @Override
  public Response page(String asked, String path) throws NodeFailure {
    return node.pages().page(path, () -> metrics.page().orElse(""));
  }

  private static NodeFailure failure(ContainerTalks.NoTalk e) {
    return new NodeFailure(500, String.valueOf(e.getMessage()));
  }

  /** The runtime's streams as the server knows them. */
  private record Session(ExecSession session) implements CommandStreams {
    @Override
    public OutputStream stdin() {
      return session.stdin();
    }

    @Override
    public InputStream stdout() {
      return session.stdout();
    }

    @Override
    public InputStream stderr() {
      return session.stderr();
    }

    @Override
    public void resize(int columns, int rows) {
      session.resize(new WindowSize(columns, rows));
    }

    @Override
    public OptionalInt waitFor(Duration timeout) throws InterruptedException {
      return session.waitFor(timeout);
    }

    @Override
    public void close() {
      session.close();
    }
  }
}
