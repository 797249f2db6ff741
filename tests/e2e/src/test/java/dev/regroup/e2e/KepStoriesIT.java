package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stories of KEP-467, told with its agent as a sidecar, in both spellings. */
@Order(3)
class KepStoriesIT {

  private static final Duration LIMIT = Duration.ofSeconds(180);

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @ParameterizedTest
  @ValueSource(strings = {"released", "draft"})
  void one_worker_fails_and_all_go_on_where_they_stand(String spelling) throws Exception {
    var report = report(0, "kep-467-story-1-" + spelling);

    assertThat(report.path("restarts").size()).isEqualTo(1);
    var restart = report.path("restarts").path(0);
    assertThat(restart.path("kind").asText()).isEqualTo("inPlace");
    assertThat(restart.path("cause").asText())
        .matches(
            "jobset-example-in-place-restart-workers-1-3-\\w+: container worker exited with code"
                + " 1");
    assertThat(restart.path("pods").size()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"released", "draft"})
  void a_fatal_code_ends_all_at_once(String spelling) throws Exception {
    var report = report(1, "kep-467-story-2-" + spelling);

    assertThat(report.path("restarts").size()).isZero();
    assertThat(report.path("failures").findValuesAsText("pod"))
        .singleElement()
        .asString()
        .startsWith("in-place-restart-failure-policy-workers-1-3-");
  }

  private JsonNode report(int code, String name) throws Exception {
    var arguments =
        List.of(
            "run",
            "--timeout=150s",
            "--report=" + folder.resolve("report"),
            Path.of("../../examples/kep", name + ".yaml").toString());
    try (var run = Program.start(Map.of("TMPDIR", folder.toString()), arguments)) {
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isEqualTo(code);
      assertThat(run.output()).doesNotContain("probe failed");
    }
    return Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
  }
}
