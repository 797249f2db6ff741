package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.Capabilities;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Escalation;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.ContainerConfig.User;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.seccomp.Filter;
import dev.regroup.runtime.seccomp.FilterVerdict;
import dev.regroup.runtime.seccomp.Profile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real containers behind a filter. */
@SuppressWarnings("NullAway.Init") // set before each test
class SeccompIT {

  private static final String STATE = "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status";
  private static final User DEFAULT = User.ROOT.withSeccomp(Seccomp.RUNTIME_DEFAULT);

  @TempDir Path directory;
  private Machine machine;
  private PodUid pod;

  @BeforeEach
  void open() throws Exception {
    RootOnly.check();
    machine = new Machine(directory.resolve("data"));
    pod = machine.sandbox();
  }

  @AfterEach
  void close() {
    if (machine != null) {
      machine.close();
    }
  }

  private List<String> run(String name, String script, User user) throws Exception {
    var spec = Machine.shell(pod, name, script).withUser(user);
    machine.run(spec);
    return machine.log(spec.key());
  }

  @Test
  void the_status_of_the_process_shows_the_filter() throws Exception {
    var nobody =
        new User(
            1234,
            1234,
            List.of(),
            Capabilities.DEFAULT,
            Privilege.ORDINARY,
            Escalation.DENIED,
            Seccomp.RUNTIME_DEFAULT);
    var escalating = User.of(1234, 1234).withSeccomp(Seccomp.RUNTIME_DEFAULT);
    var privileged =
        new User(
            0,
            0,
            List.of(),
            Capabilities.ALL,
            Privilege.PRIVILEGED,
            Escalation.ALLOWED,
            Seccomp.RUNTIME_DEFAULT);

    assertThat(run("root", STATE, DEFAULT)).containsExactly("NoNewPrivs:\t0", "Seccomp:\t2");
    assertThat(run("nobody", STATE, nobody)).containsExactly("NoNewPrivs:\t1", "Seccomp:\t2");
    assertThat(run("user", STATE + "; id -u", escalating))
        .containsExactly("NoNewPrivs:\t0", "Seccomp:\t2", "1234");
    assertThat(run("open", STATE, User.ROOT)).containsExactly("NoNewPrivs:\t0", "Seccomp:\t0");
    assertThat(run("privileged", STATE, privileged)).last().isEqualTo("Seccomp:\t0");
  }

  @Test
  void calls_that_lead_out_are_refused_and_a_capability_opens_them() throws Exception {
    String attempts =
        """
        unshare -U true 2>&1 | grep -o 'Operation not permitted'
        unshare -m true 2>&1 | grep -o 'Operation not permitted'
        mount -t tmpfs none /mnt 2>/dev/null || echo no mount
        """;
    var capabilities = new HashSet<>(Capabilities.DEFAULT);
    capabilities.add(Capabilities.number("SYS_ADMIN").orElseThrow());
    var admin =
        new User(
            0,
            0,
            List.of(),
            Set.copyOf(capabilities),
            Privilege.ORDINARY,
            Escalation.ALLOWED,
            Seccomp.RUNTIME_DEFAULT);

    assertThat(run("default", attempts, DEFAULT))
        .containsExactly("Operation not permitted", "Operation not permitted", "no mount");
    assertThat(run("open", "unshare -U true && echo a namespace", User.ROOT))
        .as("without a filter everyone may make a user namespace")
        .containsExactly("a namespace");
    assertThat(run("admin", attempts + STATE, admin)).last().isEqualTo("Seccomp:\t2");
    assertThat(run("mounts", "mount -t tmpfs none /mnt && echo mounted", admin))
        .containsExactly("mounted");
  }

  @Test
  void ordinary_programs_do_not_notice() throws Exception {
    String script =
        """
        sleep 0 & wait; (echo sub) | cat; date > /dev/null && find /usr/bin -maxdepth 1 -name sh
        if command -v python3 > /dev/null && python3 -c pass 2> /dev/null; then
          python3 -c 'import threading,socket,subprocess
        t=threading.Thread(target=lambda: print("thread",flush=True)); t.start(); t.join()
        s=socket.socket(); s.bind(("127.0.0.1",0)); print("socket",flush=True)
        print(subprocess.check_output(["echo","child"],text=True),end="")'
        else
          printf 'thread\\nsocket\\nchild\\n'
        fi
        """;

    assertThat(run("main", script, DEFAULT))
        .containsExactly("sub", "/usr/bin/sh", "thread", "socket", "child");
  }

  @Test
  void a_java_program_does_not_notice_either() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toRealPath().toString();
    var key = new ContainerKey(pod, "main", 0);
    var spec =
        ContainerConfig.of(key, 1, List.of(java, "-Xshare:auto", "-version"))
            .withEnv(Map.of("PATH", "/usr/bin:/bin"))
            .withUser(DEFAULT);

    var record = machine.run(spec);

    assertThat(record.exitCode()).as(machine.log(key).toString()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  void a_command_executed_later_has_the_same_filter_also_after_adoption() throws Exception {
    var mkdir =
        new Profile(
            FilterVerdict.ALLOW,
            List.of(
                new Profile.Rule(
                    Set.of("mkdir", "mkdirat"), List.of(), FilterVerdict.error(Errno.EROFS))));
    var filter = Filter.of("no-mkdir.json", mkdir, Architecture.current());
    var byDefault = Machine.shell(pod, "default", "sleep 1000").withUser(DEFAULT);
    var own =
        Machine.shell(pod, "own", "sleep 1000")
            .withUser(User.ROOT.withSeccomp(new Seccomp.Localhost(filter)));
    machine.runtime.start(byDefault);
    machine.runtime.start(own);

    machine.runtime.close();
    machine = new Machine(directory.resolve("data"));

    assertThat(exec(byDefault.key(), "unshare -U true 2>&1; " + STATE))
        .contains("Operation not permitted", "Seccomp:\t2");
    assertThat(exec(own.key(), "mkdir /x 2>&1; unshare -U true && echo open"))
        .contains("Read-only file system", "open");
  }

  @Test
  void a_profile_need_not_allow_what_only_the_start_needs() throws Exception {
    var calls =
        Set.of(
            "access",
            "arch_prctl",
            "brk",
            "close",
            "execve",
            "exit_group",
            "fstat",
            "getrandom",
            "mmap",
            "mprotect",
            "munmap",
            "newfstatat",
            "openat",
            "pread64",
            "prlimit64",
            "read",
            "rseq",
            "set_robust_list",
            "set_tid_address",
            "write");
    var narrow =
        new Profile(
            FilterVerdict.error(Errno.EPERM),
            List.of(new Profile.Rule(calls, List.of(), FilterVerdict.ALLOW)));
    var filter = Filter.of("narrow.json", narrow, Architecture.current());
    var user =
        new User(
            1234,
            1234,
            List.of(),
            Set.of(),
            Privilege.ORDINARY,
            Escalation.DENIED,
            new Seccomp.Localhost(filter));
    var key = new ContainerKey(pod, "main", 0);

    machine.run(ContainerConfig.of(key, 1, List.of("echo", "hello")).withUser(user));

    assertThat(machine.log(key)).containsExactly("hello");
  }

  private String exec(ContainerKey key, String script) throws Exception {
    return machine
        .runtime
        .run(key, List.of("sh", "-c", script), Duration.ofSeconds(10), 4096)
        .output();
  }
}
