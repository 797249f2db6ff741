package dev.regroup.node.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.RuntimeFailure;
import io.fabric8.kubernetes.api.model.GRPCAction;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
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
      var problem = String.valueOf(e.getMessage());
      return new ProbeVerdict.Unable(
          e.kind() == RuntimeFailure.Kind.START_ERROR ? refused(target, problem) : problem);
    }
  }

  /** The words of the usual runtime, letter for letter; the number is the same every time. */
  private static String refused(ProbeTarget target, String problem) {
    var seed = target.key().toString().getBytes(UTF_8);
    return "rpc error: code = Unknown desc = failed to exec in container: failed to start exec \"%s\": OCI runtime exec failed: exec failed: unable to start container process: %s"
        .formatted(digest(seed), problem);
  }

  private static String digest(byte[] seed) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(seed));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** PRB-09: an open connection is success. */
  public ProbeVerdict tcp(
      ProbeTarget target, @Nullable String host, IntOrString port, Duration timeout) {
    var address = host == null || host.isEmpty() ? target.address() : host;
    int number;
    try {
      number = target.port(port);
    } catch (ProbeTarget.UnknownPort e) {
      return new ProbeVerdict.Unable(String.valueOf(e.getMessage()));
    }
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

  /** PRB-10. */
  public ProbeVerdict grpc(ProbeTarget target, GRPCAction action, Duration timeout) {
    var service = action.getService() == null ? "" : action.getService();
    return new GrpcCheck(target.address(), action.getPort(), service, timeout).run();
  }

  /** PRB-08; what no request can be made of is a failure. */
  public ProbeVerdict http(ProbeTarget target, HTTPGetAction action, Duration timeout)
      throws InterruptedException {
    try {
      return new HttpCheck(target, action, timeout).run();
    } catch (ProbeTarget.UnknownPort e) {
      return new ProbeVerdict.Unable(String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      return new ProbeVerdict.Failure(String.valueOf(e.getMessage()));
    }
  }

  /** HOOK-04: only a missing answer is a failure, whatever the answer says. */
  public ProbeVerdict httpHook(ProbeTarget target, HTTPGetAction action, Duration timeout)
      throws InterruptedException {
    try {
      return new HttpCheck(target, action, timeout).reach();
    } catch (ProbeTarget.UnknownPort | IllegalArgumentException e) {
      return new ProbeVerdict.Failure(String.valueOf(e.getMessage()));
    }
  }

  private static String quoted(List<String> argv) {
    return "\"" + String.join(" ", argv) + "\"";
  }
}
