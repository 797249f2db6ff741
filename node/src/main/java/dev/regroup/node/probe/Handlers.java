package dev.regroup.node.probe;

import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.RuntimeFailure;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs one handler of a probe or hook to its end. Called on virtual threads only. */
public final class Handlers {

  private static final int MOST_OUTPUT = 10 * 1024;

  private final ContainerRuntime runtime;

  public Handlers(ContainerRuntime runtime) {
    this.runtime = runtime;
  }

  /** PRB-07: exit 0 is success; too slow is a failure. */
  public ProbeVerdict exec(ProbeTarget target, List<String> argv, Duration timeout)
      throws InterruptedException {
    try {
      var result = runtime.run(target.key(), argv, timeout, MOST_OUTPUT);
      if (result.exitCode().isEmpty()) {
        return new ProbeVerdict.Failure(
            "command timed out: " + quoted(argv) + " timed out after " + timeout.toSeconds() + "s");
      }
      return result.succeeded()
          ? new ProbeVerdict.Success(result.output())
          : new ProbeVerdict.Failure(result.output());
    } catch (RuntimeFailure e) {
      return new ProbeVerdict.Unable(String.valueOf(e.getMessage()));
    }
  }

  /** PRB-09: an open connection is success. */
  public ProbeVerdict tcp(
      ProbeTarget target, @Nullable String host, IntOrString port, Duration timeout) {
    var address = host == null || host.isEmpty() ? target.address() : host;
    int number = target.port(port);
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, number), Math.toIntExact(timeout.toMillis()));
      return new ProbeVerdict.Success("");
    } catch (SocketTimeoutException e) {
      return new ProbeVerdict.Failure("dial tcp " + address + ":" + number + ": i/o timeout");
    } catch (ConnectException e) {
      return new ProbeVerdict.Failure(
          "dial tcp " + address + ":" + number + ": connect: connection refused");
    } catch (IOException e) {
      return new ProbeVerdict.Failure("dial tcp " + address + ":" + number + ": " + e.getMessage());
    }
  }

  /** PRB-08. */
  public ProbeVerdict http(ProbeTarget target, HTTPGetAction action, Duration timeout) {
    return new HttpCheck(target, action, timeout).run();
  }

  /** HOOK-04: only a missing answer is a failure, whatever the answer says. */
  public ProbeVerdict httpHook(ProbeTarget target, HTTPGetAction action, Duration timeout) {
    return new HttpCheck(target, action, timeout).reach();
  }

  private static String quoted(List<String> argv) {
    return "\"" + String.join(" ", argv) + "\"";
  }
}
