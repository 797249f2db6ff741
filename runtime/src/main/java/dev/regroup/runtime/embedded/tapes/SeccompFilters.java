package dev.regroup.runtime.embedded.tapes;

import dev.regroup.runtime.Capabilities;
import dev.regroup.runtime.ContainerConfig.User;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.seccomp.DefaultProfile;
import dev.regroup.runtime.seccomp.Filter;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The filters of this machine; one is compiled once for each set of capabilities. */
public final class SeccompFilters {

  private static final Map<Set<Integer>, Filter> DEFAULTS = new ConcurrentHashMap<>();

  private SeccompFilters() {}

  /** The filter for a container's processes; empty = all calls may be made. */
  public static Optional<Filter> of(User user) {
    return switch (user.seccomp()) {
      case Seccomp.Unconfined() -> Optional.empty();
      case Seccomp.RuntimeDefault() ->
          Optional.of(DEFAULTS.computeIfAbsent(user.capabilities(), SeccompFilters::compile));
      case Seccomp.Localhost(Filter filter) -> Optional.of(filter);
    };
  }

  private static Filter compile(Set<Integer> capabilities) {
    var names = capabilities.stream().map(Capabilities::name).collect(Collectors.toSet());
    var profile = DefaultProfile.of(names::contains);
    return Filter.of(DefaultProfile.NAME, profile, Architecture.current());
  }
}
