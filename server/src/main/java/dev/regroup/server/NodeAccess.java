package dev.regroup.server;

import dev.regroup.client.Transport;
import java.time.Instant;
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

  record ContainerRef(String node, String namespace, String pod, String podUid, String container) {}

  /** The query of {@code pods/log}, already validated; absent numbers mean "no limit". */
  record LogOptions(
      boolean follow,
      boolean previous,
      boolean timestamps,
      @Nullable Instant since,
      OptionalLong tailLines,
      OptionalLong limitBytes) {}

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

    public int code() {
      return code;
    }
  }
}
