package dev.regroup.runtime.seccomp;

import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.seccomp.CallTable.Call;
import dev.regroup.runtime.seccomp.Condition.Operator;
import dev.regroup.runtime.seccomp.Profile.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The profile {@code RuntimeDefault}: what ordinary programs need, in effect the same as with
 * containerd. Everything else fails with EPERM. A capability the container has opens the calls that
 * are of no use without it.
 */
public final class DefaultProfile {

  public static final String NAME = "RuntimeDefault";

  private static final FilterVerdict REFUSED = FilterVerdict.error(Errno.EPERM);
  private static final String ADMIN = "SYS_ADMIN";

  /** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
  private static final long NEW_NAMESPACES = 0x7e02_0000L;

  private static final long AF_VSOCK = 40; // reaches the hypervisor past every network namespace
  private static final long INT = 0xffff_ffffL; // the kernel ignores the upper half of an int

  /** PER_LINUX and PER_LINUX32, both with and without UNAME26, and "tell me what it is". */
  private static final List<Long> PERSONALITIES = List.of(0L, 0x8L, 0x2_0000L, 0x2_0008L, INT);

  private DefaultProfile() {}

  /** For a container with these capabilities, asked by name: {@code SYS_ADMIN}. */
  public static Profile of(Predicate<String> capabilities) {
    var open =
        CallTable.CALLS.stream()
            .filter(call -> isOpen(call.may(), capabilities))
            .map(Call::name)
            .collect(Collectors.toSet());
    var rules = new ArrayList<Rule>();
    rules.add(new Rule(open, List.of(), FilterVerdict.ALLOW));
    if (capabilities.test(ADMIN)) {
      rules.add(new Rule(Set.of("clone", "clone3"), List.of(), FilterVerdict.ALLOW));
    } else {
      var none = Condition.masked(0, NEW_NAMESPACES, 0);
      rules.add(new Rule(Set.of("clone"), List.of(none), FilterVerdict.ALLOW));
      // Its flags lie in memory, where no filter can look; without it libraries take clone.
      rules.add(new Rule(Set.of("clone3"), List.of(), FilterVerdict.UNKNOWN_CALL));
    }
    for (long personality : PERSONALITIES) {
      var same = Condition.of(0, Operator.EQUAL, personality);
      rules.add(new Rule(Set.of("personality"), List.of(same), FilterVerdict.ALLOW));
    }
    var socket = Set.of("socket");
    rules.add(new Rule(socket, List.of(Condition.masked(0, INT, AF_VSOCK)), REFUSED));
    rules.add(new Rule(socket, List.of(), FilterVerdict.ALLOW));
    return new Profile(REFUSED, rules);
  }

  private static boolean isOpen(String may, Predicate<String> capabilities) {
    return switch (may) {
      case "always" -> true;
      case "never", "checked" -> false;
      default -> List.of(may.split("\\|", -1)).stream().anyMatch(capabilities);
    };
  }
}
