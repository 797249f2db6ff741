package dev.regroup.cli.kubeconfig;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.CliFailure;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A program that a kubeconfig names for credentials, as the large clouds have them. It is run when
 * the first request goes out and again shortly before what it gave expires. Its errors go to the
 * terminal, where it may ask something.
 */
final class CredentialPlugin implements Supplier<Optional<String>> {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration BEFORE_EXPIRY = Duration.ofSeconds(30);

  /** What it gave; nothing is an empty text. */
  record Credential(String token, String certificate, String key, Instant expires) {}

  private final JsonNode exec;
  private @Nullable Credential last; // guarded by this

  CredentialPlugin(JsonNode exec) {
    this.exec = exec;
  }

  @Override
  public Optional<String> get() {
    try {
      return Optional.of(credential().token()).filter(token -> !token.isEmpty());
    } catch (CliFailure e) {
      return Optional.empty(); // the server says who was not let in
    }
  }

  synchronized Credential credential() throws CliFailure {
    var known = last;
    if (known != null && Instant.now().isBefore(known.expires().minus(BEFORE_EXPIRY))) {
      return known;
    }
    last = run();
    return last;
  }

  private Credential run() throws CliFailure {
    var command = new ArrayList<String>();
    command.add(Trees.text(exec, "command"));
    command.addAll(Trees.texts(exec, "args"));
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    for (JsonNode variable : exec.path("env")) {
      builder.environment().put(Trees.text(variable, "name"), Trees.text(variable, "value"));
    }
    var info =
        Wire.object()
            .put("apiVersion", Trees.text(exec, "apiVersion"))
            .put("kind", "ExecCredential");
    info.putObject("spec").put("interactive", false);
    builder.environment().put("KUBERNETES_EXEC_INFO", Wire.text(info));
    try {
      var process = builder.start();
      process.getOutputStream().close();
      byte[] output = process.getInputStream().readAllBytes();
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw failed("ended with an error", null);
      }
      var status = Wire.tree(output).path("status");
      var expires = Trees.time(status, "expirationTimestamp");
      return new Credential(
          Trees.text(status, "token"),
          Trees.text(status, "clientCertificateData"),
          Trees.text(status, "clientKeyData"),
          expires == null ? Instant.MAX.minus(BEFORE_EXPIRY) : expires);
    } catch (IOException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("was interrupted", e);
    }
  }

  private CliFailure failed(String problem, @Nullable Throwable cause) {
    return new CliFailure(
        "the kubeconfig's credential plugin \"%s\" %s"
            .formatted(Trees.text(exec, "command"), problem),
        cause);
  }
}
