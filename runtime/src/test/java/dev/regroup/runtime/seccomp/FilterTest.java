package dev.regroup.runtime.seccomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters, run by a machine of our own and compared with what the profile says. */
class FilterTest {

  private static final FilterVerdict EPERM = FilterVerdict.error(Errno.EPERM);
  private static final FilterVerdict ENOSYS = FilterVerdict.error(Errno.ENOSYS);
  private static final long[] NO_ARGUMENTS = new long[6];

  private static int audit(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> 0xc000003e;
      case ARM64 -> 0xc00000b7;
    };
  }

  private static Profile standard(String... capabilities) {
    return DefaultProfile.of(Set.of(capabilities)::contains);
  }

  private static FilterVerdict ask(Profile profile, String call, long... arguments) {
    var filter = Filter.of("test", profile, Architecture.X86_64);
    int number =
        CallTable.CALLS.stream()
            .filter(known -> known.name().equals(call))
            .findFirst()
            .orElseThrow()
            .x86()
            .orElseThrow();
    return BpfMachine.run(filter, audit(Architecture.X86_64), number, Arrays.copyOf(arguments, 6))
        .verdict();
  }

  /** The profile read as its documentation says, without the compiler. */
  private static FilterVerdict expected(Profile profile, String call, long[] arguments) {
    for (var rule : profile.rules()) {
      if (rule.calls().contains(call)
          && rule.conditions().stream().allMatch(condition -> holds(condition, arguments))) {
        return rule.verdict();
      }
    }
    return profile.otherwise();
  }

  private static boolean holds(Condition condition, long[] arguments) {
    long found = arguments[condition.argument()];
    int order = Long.compareUnsigned(found, condition.value());
    return switch (condition.operator()) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case MASKED_EQUAL -> (found & condition.mask()) == condition.value();
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
    };
  }

  @ParameterizedTest
  @EnumSource
  void every_call_of_the_default_profile_gets_the_verdict_of_the_table(Architecture architecture) {
    var random = new Random(1);
    for (String[] capabilities :
        List.of(
            new String[0],
            new String[] {"SYS_ADMIN"},
            new String[] {"SYS_PTRACE", "SYS_TIME", "NET_ADMIN"},
            new String[] {"BPF", "SYSLOG", "SYS_MODULE", "SYS_NICE"})) {
      var profile = standard(capabilities);
      var filter = Filter.of("test", profile, architecture);
      for (var call : CallTable.CALLS) {
        if (call.number(architecture).isEmpty()) {
          continue;
        }
        for (int i = 0; i < 20; i++) {
          long[] arguments = random.longs(6).toArray();
          arguments[0] =
              switch (i) {
                case 0, 1, 2, 3, 4 -> new long[] {0, 8, 0x20000, 0x20008, 0xffffffffL}[i];
                case 5, 6 -> i == 5 ? 40 : (1L << 32) + 40;
                default -> random.nextInt();
              };

          var answer =
              BpfMachine.run(
                  filter, audit(architecture), call.number(architecture).getAsInt(), arguments);

          assertThat(answer.verdict())
              .as("%s%s with %s", call.name(), Arrays.toString(arguments), List.of(capabilities))
              .isEqualTo(expected(profile, call.name(), arguments));
        }
      }
    }
  }

  @Test
  void the_default_profile_refuses_what_leads_out_of_a_container() {
    var profile = standard();

    for (String call :
        List.of(
            "mount",
            "umount2",
            "unshare",
            "setns",
            "pivot_root",
            "keyctl",
            "add_key",
            "bpf",
            "init_module",
            "kexec_load",
            "reboot",
            "swapon",
            "userfaultfd",
            "io_uring_setup",
            "open_by_handle_at",
            "settimeofday",
            "perf_event_open")) {
      assertThat(ask(profile, call)).as(call).isEqualTo(EPERM);
    }
    assertThat(ask(profile, "clone", 0x11)).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(profile, "clone", 0x10000000 | 0x11)).as("CLONE_NEWUSER").isEqualTo(EPERM);
    assertThat(ask(profile, "clone3")).as("libraries fall back to clone").isEqualTo(ENOSYS);
    assertThat(ask(profile, "socket", 2)).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(profile, "socket", 40)).as("AF_VSOCK").isEqualTo(EPERM);
    assertThat(ask(profile, "socket", (1L << 32) + 40)).as("AF_VSOCK, dressed up").isEqualTo(EPERM);
    assertThat(ask(profile, "personality", 0x20000)).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(profile, "personality", 0x40000)).as("ADDR_NO_RANDOMIZE").isEqualTo(EPERM);
  }

  @Test
  void a_capability_opens_the_calls_that_need_it() {
    var admin = standard("SYS_ADMIN");

    assertThat(ask(admin, "mount")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(admin, "unshare")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(admin, "clone", 0x10000000)).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(admin, "clone3")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(admin, "reboot")).isEqualTo(EPERM);
    assertThat(ask(standard("SYS_TIME"), "clock_settime")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(standard("SYSLOG"), "syslog")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(standard("SYS_PTRACE"), "pidfd_getfd")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(standard("SYS_CHROOT"), "chroot")).isEqualTo(FilterVerdict.ALLOW);
    assertThat(ask(standard(), "chroot")).isEqualTo(EPERM);
  }

  @ParameterizedTest
  @EnumSource
  void other_architectures_are_killed_and_unknown_numbers_look_like_an_old_kernel(
      Architecture architecture) {
    var refusing = Filter.of("test", standard(), architecture);
    var open = Filter.of("test", new Profile(FilterVerdict.ALLOW, List.of()), architecture);
    int own = audit(architecture);

    for (int other : new int[] {0x40000003, 0x40000028, 0xc00000b7 ^ 0xc000003e ^ own}) {
      assertThat(BpfMachine.run(open, other, 0, NO_ARGUMENTS).verdict())
          .isEqualTo(FilterVerdict.KILL_PROCESS);
    }
    for (int number : new int[] {470, 1000, 0x3fffffff, 0x40000000, 0x40000001, -1}) {
      assertThat(BpfMachine.run(refusing, own, number, NO_ARGUMENTS).verdict())
          .as("" + number)
          .isEqualTo(ENOSYS);
    }
    assertThat(BpfMachine.run(open, own, 1000, NO_ARGUMENTS).verdict())
        .isEqualTo(FilterVerdict.ALLOW);
    assertThat(BpfMachine.run(open, own, 0x40000001, NO_ARGUMENTS).verdict())
        .as("x32: a known call under another number")
        .isEqualTo(ENOSYS);
  }

  /** Profiles nobody would write, so large that comparisons cannot jump over their halves. */
  @ParameterizedTest
  @EnumSource
  void any_profile_means_what_it_says(Architecture architecture) {
    for (int seed = 0; seed < 30; seed++) {
      var random = new Random(seed);
      var profile = arbitrary(random);
      var filter = Filter.of("test", profile, architecture);
      for (var call : CallTable.CALLS) {
        if (call.number(architecture).isEmpty()) {
          continue;
        }
        for (int i = 0; i < 5; i++) {
          long[] arguments = new long[6];
          Arrays.setAll(arguments, _ -> word(random));

          var answer =
              BpfMachine.run(
                  filter, audit(architecture), call.number(architecture).getAsInt(), arguments);

          assertThat(answer.verdict())
              .as("seed %d %s%s", seed, call.name(), Arrays.toString(arguments))
              .isEqualTo(expected(profile, call.name(), arguments));
        }
      }
    }
  }

  private static Profile arbitrary(Random random) {
    var verdicts =
        List.of(
            FilterVerdict.ALLOW,
            EPERM,
            FilterVerdict.KILL_PROCESS,
            FilterVerdict.LOG,
            FilterVerdict.TRAP);
    var rules = new ArrayList<Profile.Rule>();
    for (int i = 0; i < 4; i++) {
      var calls =
          CallTable.CALLS.stream()
              .map(CallTable.Call::name)
              .filter(_ -> random.nextInt(10) == 0)
              .collect(Collectors.toSet());
      var conditions = new ArrayList<Condition>();
      for (int j = random.nextInt(4); j > 0; j--) {
        var operators = Condition.Operator.values();
        long mask = word(random);
        var operator = operators[random.nextInt(operators.length)];
        boolean masked = operator == Condition.Operator.MASKED_EQUAL;
        long value = masked ? word(random) & mask : word(random);
        conditions.add(new Condition(random.nextInt(6), operator, value, mask));
      }
      rules.add(new Profile.Rule(calls, conditions, verdicts.get(random.nextInt(5))));
    }
    return new Profile(verdicts.get(random.nextInt(5)), rules);
  }

  /** Few different numbers, so that equal ones meet, also in one half only. */
  private static long word(Random random) {
    return ((long) random.nextInt(-1, 3) << 32) | (random.nextInt(-2, 3) & 0xffffffffL);
  }

  @Test
  void a_call_costs_a_dozen_instructions() {
    var filter = Filter.of("test", standard(), Architecture.X86_64);
    int most = 0;
    for (int number = 0; number < 470; number++) {
      var answer = BpfMachine.run(filter, audit(Architecture.X86_64), number, NO_ARGUMENTS);
      most = Math.max(most, answer.instructions());
    }

    assertThat(most).isLessThan(40); // personality: five values of two halves
    assertThat(BpfMachine.run(filter, audit(Architecture.X86_64), 0, NO_ARGUMENTS).instructions())
        .as("read")
        .isLessThan(14);
    assertThat(filter.instructions()).isLessThan(300);
  }

  @Test
  void the_table_agrees_with_the_calls_tapes_make() {
    var byName = new HashMap<String, CallTable.Call>();
    CallTable.CALLS.forEach(call -> byName.put(call.name(), call));

    for (Syscall call : Syscall.values()) {
      var known = Objects.requireNonNull(byName.get(call.title()), call.title());
      for (Architecture architecture : Architecture.values()) {
        assertThat(known.number(architecture))
            .as(call.title() + " on " + architecture)
            .hasValue(call.number(architecture));
      }
    }
  }

  @Test
  void a_filter_has_whole_instructions_and_not_too_many() {
    assertThatThrownBy(() -> new Filter("x", new byte[7])).hasMessageContaining("must have 1 to");
    assertThatThrownBy(() -> new Filter("x", new byte[4097 * 8]))
        .hasMessage("seccomp profile x: must have 1 to 4096 instructions, has 4097");
  }
}
