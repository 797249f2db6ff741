package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.seccomp.Condition;
import dev.regroup.runtime.seccomp.Filter;
import dev.regroup.runtime.seccomp.FilterVerdict;
import dev.regroup.runtime.seccomp.Profile;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeccompProfilesTest {

  @TempDir Path directory;

  private Seccomp localhost(String name, String json) throws IOException {
    Files.writeString(directory.resolve(name), json);
    return of("Localhost", name);
  }

  private Seccomp of(String type, String name) throws IOException {
    return new SeccompProfiles(directory).of(Optional.of(new SeccompProfile(name, type)));
  }

  @Test
  void nothing_said_means_no_filter() throws Exception {
    assertThat(new SeccompProfiles(directory).of(Optional.empty())).isEqualTo(Seccomp.UNCONFINED);
    assertThat(of("Unconfined", "")).isEqualTo(Seccomp.UNCONFINED);
    assertThat(of("RuntimeDefault", "")).isEqualTo(Seccomp.RUNTIME_DEFAULT);
  }

  @Test
  void a_file_of_the_nodes_owner_is_compiled() throws Exception {
    var loaded =
        localhost(
            "audit.json",
            """
            {"defaultAction": "SCMP_ACT_ERRNO", "architectures": ["SCMP_ARCH_X86_64"],
             "syscalls": [
              {"names": ["execve", "exit_group", "read"], "action": "SCMP_ACT_ALLOW"},
              {"names": ["mkdir"], "action": "SCMP_ACT_ERRNO", "errnoRet": 30},
              {"names": ["clone"], "action": "SCMP_ACT_ALLOW",
               "args": [{"index": 0, "value": 2114060288, "valueTwo": 0,
                         "op": "SCMP_CMP_MASKED_EQ"}]},
              {"names": ["personality"], "action": "SCMP_ACT_LOG",
               "args": [{"index": 0, "value": 18446744073709551615, "op": "SCMP_CMP_LT"}]}]}
            """);

    var clone = new Condition(0, Condition.Operator.MASKED_EQUAL, 0, 0x7e020000L);
    var personality = Condition.of(0, Condition.Operator.LESS, -1);
    var same =
        new Profile(
            FilterVerdict.error(1),
            List.of(
                new Profile.Rule(
                    Set.of("execve", "exit_group", "read"), List.of(), FilterVerdict.ALLOW),
                new Profile.Rule(Set.of("mkdir"), List.of(), FilterVerdict.error(30)),
                new Profile.Rule(Set.of("clone"), List.of(clone), FilterVerdict.ALLOW),
                new Profile.Rule(Set.of("personality"), List.of(personality), FilterVerdict.LOG)));
    assertThat(loaded)
        .isEqualTo(new Seccomp.Localhost(Filter.of("audit.json", same, Architecture.current())));
  }

  @Test
  void a_profile_that_cannot_be_used_says_what_to_change() {
    assertThatThrownBy(() -> of("Localhost", "none.json"))
        .hasMessage(
            "securityContext.seccompProfile.localhostProfile: there is no file \"none.json\" in "
                + directory
                + " (put the profile there)");
    assertThatThrownBy(() -> of("Localhost", "../../etc/passwd"))
        .hasMessageContaining("there is no file");
    assertThatThrownBy(() -> localhost("a", "{"))
        .hasMessageStartingWith(
            "securityContext.seccompProfile.localhostProfile: \"a\" is not JSON: ");
    assertThatThrownBy(() -> localhost("a", "{\"defaultAction\": \"ALLOW\"}"))
        .hasMessageContaining("\"a\" defaultAction: must be SCMP_ACT_ALLOW, ")
        .hasMessageEndingWith("got \"ALLOW\" (change the profile)");
    assertThatThrownBy(() -> localhost("a", "{\"defaultAction\": \"SCMP_ACT_KILL\"}"))
        .hasMessageContaining("\"a\" refuses execve, without which nothing can start");
  }
}
