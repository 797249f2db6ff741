package dev.regroup.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.cli.doctor.Diagnosis.State;
import dev.regroup.runtime.embedded.Isolation;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiagnosesTest {

  private static final long GIB = 1L << 30;
  private static final Isolation FULL = new Isolation.Possible(IsolationLevel.FULL, List.of());

  @Test
  void a_good_machine_needs_no_advice() {
    var found = Diagnoses.of(machine(FULL, Optional.of("v1.32.1"), 40 * GIB, 8 * GIB, false));

    assertThat(found)
        .isNotEmpty()
        .allMatch(one -> one.state() == State.GOOD && one.advice().isEmpty());
    assertThat(Diagnoses.canRun(found)).isTrue();
  }

  @Test
  void who_may_not_make_containers_is_told_how() {
    var isolation = new Isolation.Unavailable("containers need root for now (use sudo)");

    var found = Diagnoses.of(machine(isolation, Optional.empty(), GIB, GIB, false));

    assertThat(found)
        .contains(Diagnosis.missing("containers", "containers need root for now", "use sudo"));
    assertThat(Diagnoses.canRun(found)).isFalse();
  }

  @Test
  void limits_that_are_off_are_named() {
    var isolation = new Isolation.Possible(IsolationLevel.FULL, List.of("memory", "pids"));

    var found = Diagnoses.of(machine(isolation, Optional.empty(), GIB, GIB, false));

    assertThat(found)
        .anyMatch(one ->
            one.state() == State.LIMITED
                && one.found().equals("isolation full, limits of memory, pids are off"));
    assertThat(Diagnoses.canRun(found)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          '',         LIMITED
          v1.20.2,    LIMITED
          v1.29.14,   LIMITED
          v1.30.0,    GOOD
          v1.36.3+x,  GOOD
          """)
  void an_old_kubectl_cannot_talk(String version, State state) {
    var kubectl = version.isEmpty() ? Optional.<String>empty() : Optional.of(version);

    assertThat(state(machine(FULL, kubectl, GIB, GIB, false), "kubectl")).isEqualTo(state);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          10,   10,   MISSING, MISSING
          300,  300,  LIMITED, LIMITED
          1024, 1024, GOOD,    GOOD
          """)
  void little_room_is_said_before_it_is_none(long disk, long memory, State onDisk, State inMemory) {
    var facts = machine(FULL, Optional.empty(), disk << 20, memory << 20, false);

    assertThat(state(facts, "disk")).isEqualTo(onDisk);
    assertThat(state(facts, "memory")).isEqualTo(inMemory);
  }

  @Test
  void a_taken_port_keeps_nobody_from_running() {
    var found = Diagnoses.of(machine(FULL, Optional.empty(), GIB, GIB, true));

    assertThat(found)
        .anyMatch(one -> one.found().equals("6443 is in use") && one.advice().contains("--port 0"));
    assertThat(Diagnoses.canRun(found)).isTrue();
  }

  @Test
  void a_look_at_this_machine_finds_something_for_everything() throws InterruptedException {
    var found = Diagnoses.of(MachineLook.at(java.nio.file.Path.of("/var/tmp/nobody/here"), 0));

    UnaryOperator<String> of =
        about ->
            found.stream()
                .filter(one -> one.about().equals(about))
                .map(Diagnosis::found)
                .findFirst()
                .orElseThrow();
    assertThat(of.apply("java")).isEqualTo("JDK " + Runtime.version().feature());
    assertThat(of.apply("disk")).matches("[0-9.]+ [GM]iB free below /var/tmp/nobody/here");
    assertThat(of.apply("memory")).matches("[0-9.]+ [GM]iB free");
    assertThat(of.apply("port")).isEqualTo("0 is free");
  }

  private static State state(MachineFacts facts, String about) {
    return Diagnoses.of(facts).stream()
        .filter(one -> one.about().equals(about))
        .findFirst()
        .orElseThrow()
        .state();
  }

  private static MachineFacts machine(
      Isolation isolation, Optional<String> kubectl, long disk, long memory, boolean portTaken) {
    return new MachineFacts(
        25, isolation, true, 1000, kubectl, "/data", disk, memory, 6443, portTaken, 65536);
  }
}
