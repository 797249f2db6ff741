package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.agent.AgentConfig.Mode;
import dev.regroup.agent.AgentConfig.Naming;
import dev.regroup.rules.group.WorkerEnd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentConfigTest {

  @TempDir Path account;

  @BeforeEach
  void mount() throws Exception {
    Files.writeString(account.resolve("namespace"), "team-a\n");
  }

  /** JS-126. */
  @Test
  void without_more_it_is_a_sidecar_with_the_released_names() throws Exception {
    var config = read(Map.of());

    assertThat(config.mode()).isEqualTo(Mode.SIDECAR);
    assertThat(config.naming()).isEqualTo(Naming.RELEASED);
    assertThat(config.place()).isEqualTo(new AgentConfig.Place("team-a", "js", "", "p"));
    assertThat(config.exitCode()).isEqualTo(1);
    assertThat(config.port()).isEqualTo(8081);
    assertThat(config.path()).isEqualTo("/barrier-is-down");
    assertThat(config.stopTime()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.restartDirectory()).isEqualTo(Path.of("/var/run/jobset"));
    assertThat(config.firstLine())
        .isEqualTo("mode sidecar, port 8081, path /barrier-is-down (jobset team-a/js, pod p)");
  }

  /** JS-132, JS-132e. */
  @Test
  void a_worker_command_makes_it_the_parent_of_the_worker() throws Exception {
    assertThat(read(Map.of("WORKER_COMMAND", "x")).mode()).isEqualTo(Mode.MAIN_CONTAINER);

    var process =
        read(
            Map.of(
                "WORKER_COMMAND", "x",
                "IN_PLACE_RESTART_MODE", "process",
                "IN_PLACE_RESTART_FATAL_EXIT_CODES", "3, 4",
                "IN_PLACE_RESTART_STOP_SECONDS", "0"));
    assertThat(process.mode()).isEqualTo(Mode.PROCESS);
    assertThat(process.rules()).isEqualTo(WorkerEnd.withoutRules(Set.of(3, 4)));
    assertThat(process.stopTime()).isZero();
    assertThat(process.firstLine()).isEqualTo("mode process (jobset team-a/js, pod p)");
  }

  /** JS-153, JS-153b. */
  @ParameterizedTest
  @CsvSource({
    "'',                                          DRAFT,    8080, /barrier-is-lifted, 1",
    "RESTART_POD_IN_PLACE_EXIT_CODE=9,            DRAFT,    8080, /barrier-is-lifted, 9",
    "IN_PLACE_RESTART_EXIT_CODE=7,                RELEASED, 8081, /barrier-is-down,   7",
    "STARTUP_PROBE_PORT=90,                       RELEASED, 90,   /barrier-is-down,   1",
    "STARTUP_PROBE_PATH=/x,                       RELEASED, 8081, /x,                 1",
    "WORKER_COMMAND=x,                            RELEASED, 8081, /barrier-is-down,   1"
  })
  void a_namespace_alone_means_the_names_of_the_proposal(
      String more, Naming naming, int port, String path, int code) throws Exception {
    var environment = new HashMap<>(Map.of("NAMESPACE", "n"));
    if (!more.isEmpty()) {
      environment.put(more.split("=")[0], more.split("=")[1]);
    }

    var config = read(environment);

    assertThat(config.place().namespace()).as("wins over the file").isEqualTo("n");
    assertThat(config.naming()).isEqualTo(naming);
    assertThat(config.port()).isEqualTo(port);
    assertThat(config.path()).isEqualTo(path);
    assertThat(config.exitCode()).isEqualTo(code);
  }

  /** JS-153: the released name wins. */
  @Test
  void the_released_exit_code_wins() throws Exception {
    var both = Map.of("IN_PLACE_RESTART_EXIT_CODE", "7", "RESTART_POD_IN_PLACE_EXIT_CODE", "9");

    assertThat(read(both).exitCode()).isEqualTo(7);
  }

  /** JS-126, JS-132e, JS-169; 0 would leave an old worker beside a new agent (JS-138). */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "JOBSET_NAME=                     | JOBSET_NAME: must be set",
        "POD_NAME=                        | POD_NAME: must be set",
        "POD_NAME=a/b                     | POD_NAME: must be the name of an object, got \"a/b\"",
        "KUBERNETES_SERVICE_HOST=         | KUBERNETES_SERVICE_HOST: must be set",
        "IN_PLACE_RESTART_EXIT_CODE=x     | must be a number from 1 to 255, got \"x\"",
        "IN_PLACE_RESTART_EXIT_CODE=0     | must be a number from 1 to 255, got \"0\"",
        "STARTUP_PROBE_PORT=70000         | must be a number from 1 to 65535, got \"70000\"",
        "STARTUP_PROBE_PATH=x             | must begin with \"/\", got \"x\"",
        "IN_PLACE_RESTART_STOP_SECONDS=601 | must be a number from 0 to 600, got \"601\"",
        "IN_PLACE_RESTART_FATAL_EXIT_CODES=3,x | must be a number from 1 to 255, got \"x\"",
        "IN_PLACE_RESTART_MODE=sidecar    | must be \"process\" or not set, got \"sidecar\"",
        "IN_PLACE_RESTART_MODE=process    | WORKER_COMMAND must be set too"
      })
  void what_cannot_be_is_refused_by_name(String setting, String message) {
    int equals = setting.indexOf('=');
    var environment = Map.of(setting.substring(0, equals), setting.substring(equals + 1).strip());

    assertThatThrownBy(() -> read(environment))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(message);
  }

  /** JS-126. */
  @ParameterizedTest
  @CsvSource({"STARTUP_PROBE_PATH, /x", "STARTUP_PROBE_PORT, 1"})
  void a_worker_command_and_a_probe_exclude_each_other(String probe, String value) {
    assertThatThrownBy(() -> read(Map.of("WORKER_COMMAND", "x", probe, value)))
        .hasMessageContaining("WORKER_COMMAND: must not be set together with " + probe);
  }

  /** JS-126. */
  @Test
  void without_a_namespace_anywhere_it_does_not_start() throws Exception {
    Files.delete(account.resolve("namespace"));

    assertThatThrownBy(() -> read(Map.of())).hasMessageContaining("namespace: cannot be read");
  }

  private AgentConfig read(Map<String, String> more) throws BadSetting {
    var environment =
        new HashMap<>(
            Map.of("JOBSET_NAME", "js", "POD_NAME", "p", "KUBERNETES_SERVICE_HOST", "10.0.0.1"));
    environment.putAll(more);
    return AgentConfig.read(environment, account, null);
  }
}
