package dev.regroup.server;

import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.talk.CommandStreams;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Port to the node that runs a pod, for the things the API server only passes on (KEP-free kubelet
 * API). The program that wires the parts connects it with {@link ApiServer#connectNodes}.
 */
public interface NodeAccess {

  /**
   * Opens the log of one container. The stream's frames are bytes as the container wrote them (with
   * time stamps in front of each line when asked for); it ends at the end of the log or, followed,
   * when the container has ended for good. {@link Transport.Stream#status} is not looked at.
   */
  Transport.Stream logs(ContainerRef container, LogOptions options)
      throws NodeFailure, InterruptedException;

  /** Starts a command in a container; closing its streams kills it. */
  default CommandStreams exec(ContainerRef container, List<String> command, Stdin stdin)
      throws NodeFailure, InterruptedException {
    throw NodeFailure.notServed();
  }

  /**
   * Joins the command of a container: what it writes from now on, and what it reads if it reads.
   *
   * @param stdin what the client wants; a container that reads nothing is told nothing
   */
  default CommandStreams attach(ContainerRef container, Stdin stdin, AtEnd atEnd)
      throws NodeFailure, InterruptedException {
    throw NodeFailure.notServed();
  }

  /** Connects to a port of a pod, from inside the pod. */
  default SocketChannel connect(PodRef pod, int port) throws NodeFailure, InterruptedException {
    throw NodeFailure.notServed();
  }

  /** A page of the node itself: {@code healthz}, {@code metrics}, {@code pods} and the like. */
  default Response page(String node, String path) throws NodeFailure, InterruptedException {
    throw NodeFailure.notServed();
  }

  /** What a command has to read. */
  enum Stdin {
    NONE,
    PIPE,
    TERMINAL
  }

  /** What it means to a container that a client who wrote to it has gone. */
  enum AtEnd {
    GOES_ON,
    ENDS_INPUT
  }

  record PodRef(String node, String namespace, String pod, String podUid) {}

  record ContainerRef(String node, String namespace, String pod, String podUid, String container) {}

  /**
   * The query of {@code pods/log}, already validated; absent numbers mean "no limit".
   *
   * @param run the number of the container's start, the first being 0, instead of the current or
   *     the previous one: it may be restarted between a look at its status and the question for its
   *     log. Not known to Kubernetes.
   */
  record LogOptions(
      boolean follow,
      boolean previous,
      boolean timestamps,
      @Nullable Instant since,
      OptionalLong tailLines,
      OptionalLong limitBytes,
      OptionalInt run) {}

  /**
   * The node cannot do it.
   *
   * <p>The code becomes the answer's HTTP code: 400 when the request makes no sense now (container
   * not started yet, no previous one), 404 when the node does not know it, 500 or 502 otherwise.
   */
  final class NodeFailure extends Exception {
    private final int code;

    public NodeFailure(int code, String message) {
      super(message);
      this.code = code;
    }

    static NodeFailure notServed() {
      return new NodeFailure(501, "the node gives out logs only");
    }

    public int code() {
      return code;
    }
  }
}
