package dev.regroup.node;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.ContainerRuntime.InputEnd;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import java.nio.channels.SocketChannel;
import java.util.Comparator;

/**
 * Talks with this node's containers, for {@code exec}, {@code attach} and {@code port-forward}. Any
 * thread. A container that restarts is another run: talks with the old one have ended.
 */
public final class ContainerTalks {

  private final ContainerRuntime runtime;

  ContainerTalks(ContainerRuntime runtime) {
    this.runtime = runtime;
  }

  /** It cannot be talked with now; the text is the one Kubernetes' node gives. */
  public static final class NoTalk extends Exception {
    NoTalk(String message) {
      super(message);
    }
  }

  /** Starts a command in a container. */
  public ExecSession exec(String podUid, String container, ExecRequest request)
      throws NoTalk, InterruptedException {
    var run = running(podUid, container);
    try {
      return runtime.exec(run, request);
    } catch (RuntimeFailure e) {
      throw switch (e.kind()) {
        case NOT_FOUND, WRONG_STATE -> notFound(container); // it ended meanwhile
        case START_ERROR, ALREADY_EXISTS, TIMED_OUT, SYSTEM ->
            new NoTalk("error executing command in container: " + e.getMessage());
      };
    }
  }

  /** Joins the command of a container. */
  public ExecSession attach(String podUid, String container, InputEnd end)
      throws NoTalk, InterruptedException {
    try {
      return runtime.attach(running(podUid, container), end);
    } catch (RuntimeFailure e) {
      throw notFound(container);
    }
  }

  /** Connects to a port of a pod. */
  public SocketChannel connect(String podUid, int port) throws NoTalk, InterruptedException {
    try {
      return runtime.connect(new PodUid(podUid), port);
    } catch (RuntimeFailure e) {
      throw new NoTalk(String.valueOf(e.getMessage()));
    }
  }

  private ContainerKey running(String podUid, String container) throws NoTalk {
    return runtime.containers(new PodUid(podUid)).stream()
        .filter(record -> record.key().name().equals(container))
        .filter(record -> record.state() == State.RUNNING)
        .map(RuntimeRecord::key)
        .max(Comparator.comparingInt(ContainerKey::run))
        .orElseThrow(() -> notFound(container));
  }

  private static NoTalk notFound(String container) {
    return new NoTalk("unable to upgrade connection: container not found (\"" + container + "\")");
  }
}
