package dev.regroup.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.runtime.ContainerConfig.Mount;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImagesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "busybox",
        "busybox:1.37",
        "library/busy_box",
        "a__b/c---d:x.Y_z-1",
        "localhost/trainer",
        "Registry.example.com:5000/team/trainer:v1",
        "UPPER/lower",
        "[::1]:5000/a",
        "a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      })
  void names_of_images_are_accepted(String name) {
    assertThat(ImageName.problem(name)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPPER/Case:x | invalid reference format: repository name (Case) must be lowercase",
        "Trainer      | invalid reference format: repository name (Trainer) must be lowercase",
        "a b          | invalid reference format",
        "a//b         | invalid reference format",
        "-a           | invalid reference format",
        "a:           | invalid reference format",
        "a:x:y        | invalid reference format",
        "a@sha256:1   | invalid reference format",
        "''           | invalid reference format"
      })
  void other_texts_are_refused_in_kubernetes_words(String name, String problem) {
    assertThat(ImageName.problem(name)).isEqualTo(Optional.of(problem));
  }

  /** STS-15. */
  @Test
  void an_image_that_must_not_be_pulled_is_absent_on_a_node_that_holds_none() {
    assertThatThrownBy(() -> HostImages.NONE_YET.check("trainer:9", "Never"))
        .isInstanceOfSatisfying(
            ImageFailure.class,
            failure -> assertThat(failure.reason().wireName()).isEqualTo("ErrImageNeverPull"))
        .hasMessage("Container image \"trainer:9\" is not present with pull policy of Never");
    assertThatCode(() -> HostImages.NONE_YET.check("trainer:9", "IfNotPresent"))
        .doesNotThrowAnyException();
    assertThatCode(() -> HostImages.HOST.check("trainer:9", "Never")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "busybox",
        "busybox:1.37",
        "docker.io/library/busybox:latest",
        "localhost:5000/busybox@sha256:0123456789abcdef0123456789abcdef0123456789abcdef"
      })
  void the_image_of_busybox_has_its_commands(String image) throws Exception {
    var images = new BusyboxOnHost(HostImages.NONE_YET, () -> Optional.of(Path.of("/commands")));

    assertThat(images.program(image, List.of("httpd", "-f")))
        .isEqualTo(
            new ImageProgram(
                List.of("httpd", "-f"),
                List.of(Mount.readOnly(Path.of("/commands"), "/busybox")),
                List.of("/busybox")));
    assertThatThrownBy(() -> images.check(image, "Never")).isInstanceOf(ImageFailure.class);
  }

  @Test
  void other_images_and_machines_without_busybox_have_what_the_machine_has() throws Exception {
    var plain = new ImageProgram(List.of("sh"), List.of());
    var images = new BusyboxOnHost(HostImages.HOST, () -> Optional.of(Path.of("/commands")));
    var without = new BusyboxOnHost(HostImages.HOST, Optional::empty);

    assertThat(images.program("busybox-extras", List.of("sh"))).isEqualTo(plain);
    assertThat(images.program("busybox/trainer", List.of("sh"))).isEqualTo(plain);
    assertThat(images.program(null, List.of("sh"))).isEqualTo(plain);
    assertThat(without.program("busybox", List.of("sh"))).isEqualTo(plain);
  }

  /** JS-132b: whoever has Regroup has its agent, whatever the pull policy. */
  @Test
  void the_image_of_the_agent_leads_to_its_folder() throws Exception {
    var images =
        new AgentOnHost(HostImages.NONE_YET, () -> Path.of("/agent"), () -> Path.of("/api"));
    var folder = Mount.readOnly(Path.of("/agent"), "/in-place-restart");
    var api = Mount.readOnly(Path.of("/api"), "/in-place-restart-api");

    images.check(AgentSettings.IMAGE, "Never");

    assertThat(images.program(AgentSettings.IMAGE, List.of("/in-place-restart-agent", "install")))
        .isEqualTo(
            new ImageProgram(
                List.of("/in-place-restart/in-place-restart-agent", "install"),
                List.of(folder, api)));
    assertThat(images.program(AgentSettings.IMAGE, List.of()).argv())
        .containsExactly("/in-place-restart/in-place-restart-agent");
    assertThat(images.program(AgentSettings.IMAGE, List.of("sh")).argv()).containsExactly("sh");
    assertThat(images.program("other", List.of("sh")))
        .isEqualTo(new ImageProgram(List.of("sh"), List.of()));
    assertThatThrownBy(() -> images.check("other", "Never")).isInstanceOf(ImageFailure.class);
  }
}
