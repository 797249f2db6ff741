package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program written for Kubernetes, with protobuf on the wire: its client-go clients ask for it, as
 * Kubernetes' own components do, and controller-runtime takes it by itself. Needs Go and its
 * modules; {@code .ci/run} has both.
 */
class GoClientsIT {

  private static final Path SOURCE = Path.of("src/test/go");
  private static final Duration BUILD =
      Duration.ofMinutes(20); // nothing is cached, and others build
  private static final Duration RUN = Duration.ofMinutes(2);

  @TempDir Path folder;

  @Test
  void do_everything_they_do_with_kubernetes() throws Exception {
    Root.require();
    assumeTrue(Boolean.getBoolean("go"), "Go takes minutes to build it: -Dgo=true does");
    var binary = build();
    try (var cluster = Cluster.up(folder);
        var program =
            Program.command(
                Map.of(), List.of(binary.toString(), cluster.kubeconfig().toString()))) {
      int code = program.awaitExit(RUN);

      assertThat(code).as(program.output()).isZero();
      assertThat(program.output().lines()).contains("done");
    }
  }

  private Path build() throws Exception {
    var binary = folder.resolve("goclients");
    try (var go =
        Program.command(
            Map.of("GOFLAGS", "-buildvcs=false"),
            List.of("go", "-C", SOURCE.toString(), "build", "-o", binary.toString(), "."))) {
      assertThat(go.awaitExit(BUILD)).as(go.output()).isZero();
    }
    return binary;
  }
}
