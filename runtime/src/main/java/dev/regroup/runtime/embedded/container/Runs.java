package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.SyscallFailure;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** All runs that exist, from before their process does until they are removed. Any thread. */
public final class Runs {

  private final NavigableMap<ContainerKey, ContainerRun> runs = new ConcurrentSkipListMap<>();

  public void add(ContainerRun run) {
    runs.put(run.key(), run);
  }

  public void remove(ContainerKey key) {
    runs.remove(key);
  }

  public Optional<ContainerRun> find(ContainerKey key) {
    return Optional.ofNullable(runs.get(key));
  }

  /** For whoever was told that there is such a run. */
  public ContainerRun known(ContainerKey key) throws RuntimeFailure {
    return find(key).orElseThrow(() -> new RuntimeFailure(Kind.NOT_FOUND, "no container " + key));
  }

  public List<ContainerRun> ofPod(PodUid pod) {
    return runs.tailMap(ContainerKey.firstOf(pod)).values().stream()
        .takeWhile(run -> run.key().pod().equals(pod))
        .toList();
  }

  /** PID 1 of the container with this name, if it runs. */
  public Optional<Fd> processOf(PodUid pod, String container) throws SyscallFailure {
    for (var run : ofPod(pod)) {
      if (run.key().name().equals(container)) {
        var process = run.openProcess();
        if (process.isPresent()) {
          return process;
        }
      }
    }
    return Optional.empty();
  }

  public Collection<ContainerRun> all() {
    return runs.values();
  }
}
