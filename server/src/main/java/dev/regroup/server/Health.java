package dev.regroup.server;

import dev.regroup.server.wire.Answer;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What {@code /livez}, {@code /readyz} and {@code /healthz} say, in the form of Kubernetes. Alive
 * is whoever answers. Ready means that writes are taken: the check {@code disk}, which {@code etcd}
 * is another name for. Everybody may ask, so the answer says what is wrong but not where.
 */
final class Health {

  /** The names of the checks, in the order they are shown. */
  static final List<String> CHECKS = List.of("ping", "log", "etcd", "disk", "informer-sync");

  private static final List<String> ON_DISK = List.of("etcd", "disk");

  private final Supplier<Optional<String>> disk;

  /**
   * @param disk what is wrong with it now; empty when writes are taken
   */
  Health(Supplier<Optional<String>> disk) {
    this.disk = disk;
  }

  Answer answer(String endpoint, boolean verbose) {
    var trouble = trouble(endpoint);
    if (trouble.isEmpty() && !verbose) {
      return Pipeline.text(200, "ok");
    }
    var text = new StringBuilder();
    for (var check : CHECKS) {
      boolean failed = trouble.isPresent() && ON_DISK.contains(check);
      text.append(failed ? "[-]" : "[+]").append(check);
      text.append(failed ? " failed: " + trouble.get() : " ok").append('\n');
    }
    text.append(endpoint).append(trouble.isEmpty() ? " check passed\n" : " check failed\n");
    return Pipeline.text(trouble.isEmpty() ? 200 : 500, text.toString());
  }

  Answer answerOne(String endpoint, String check) {
    var trouble = ON_DISK.contains(check) ? trouble(endpoint) : Optional.<String>empty();
    return trouble.isEmpty()
        ? Pipeline.text(200, "ok")
        : Pipeline.text(500, "internal server error: " + trouble.get() + "\n");
  }

  private Optional<String> trouble(String endpoint) {
    return endpoint.equals("livez") ? Optional.empty() : disk.get();
  }
}
