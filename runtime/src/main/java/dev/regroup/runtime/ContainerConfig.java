package dev.regroup.runtime;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Everything needed to start one run. Built by the node; nothing in it refers to Kubernetes objects
 * any more.
 *
 * @param epoch the restart epoch it is created in (RAC-06), kept with the record
 * @param argv command and arguments, at least one; the command is searched in PATH of {@code env}
 * @param env in the order given; kept owner-only on disk, exec needs it again
 * @param workingDir absolute; created if missing
 * @param terminationMessagePath absolute path in the container (STS-16)
 * @param target the container of the pod whose processes it sees; empty = as the sandbox says
 * @param console what its command reads
 * @param labels kept with the record and given back with it; the runtime does not read them
 */
public record ContainerConfig(
    ContainerKey key,
    int epoch,
    List<String> argv,
    Map<String, String> env,
    String workingDir,
    List<Mount> mounts,
    User user,
    RootFilesystem root,
    Limits limits,
    String terminationMessagePath,
    String target,
    Console console,
    Map<String, String> labels) {

  public static final String DEFAULT_TERMINATION_MESSAGE_PATH = "/dev/termination-log";

  public ContainerConfig {
    requireNonNull(key, "key");
    requireNonNull(user, "user");
    requireNonNull(root, "root");
    requireNonNull(limits, "limits");
    requireNonNull(console, "console");
    argv = List.copyOf(argv);
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    mounts = List.copyOf(mounts);
    labels = Map.copyOf(labels);
    if (argv.isEmpty()) {
      throw new IllegalArgumentException("argv: must name a command");
    }
    if (!workingDir.startsWith("/")) {
      throw new IllegalArgumentException("workingDir: must be absolute, got " + workingDir);
    }
  }

  /** The plain case: root, no mounts, no limits, default paths. */
  public static ContainerConfig of(ContainerKey key, int epoch, List<String> argv) {
    return new ContainerConfig(
        key,
        epoch,
        argv,
        Map.of(),
        "/",
        List.of(),
        User.ROOT,
        RootFilesystem.WRITABLE,
        Limits.NONE,
        DEFAULT_TERMINATION_MESSAGE_PATH,
        "",
        Console.NONE,
        Map.of());
  }

  /** The same for the run after this one. */
  public ContainerConfig next() {
    return with(draft -> draft.key = key.next());
  }

  public ContainerConfig withEnv(Map<String, String> newEnv) {
    return with(draft -> draft.env = newEnv);
  }

  public ContainerConfig withWorkingDir(String newWorkingDir) {
    return with(draft -> draft.workingDir = newWorkingDir);
  }

  public ContainerConfig withMounts(List<Mount> newMounts) {
    return with(draft -> draft.mounts = newMounts);
  }

  public ContainerConfig withUser(User newUser) {
    return with(draft -> draft.user = newUser);
  }

  public ContainerConfig withRoot(RootFilesystem newRoot) {
    return with(draft -> draft.root = newRoot);
  }

  public ContainerConfig withLimits(Limits newLimits) {
    return with(draft -> draft.limits = newLimits);
  }

  public ContainerConfig withTerminationMessagePath(String newTerminationMessagePath) {
    return with(draft -> draft.terminationMessagePath = newTerminationMessagePath);
  }

  public ContainerConfig withTarget(String newTarget) {
    return with(draft -> draft.target = newTarget);
  }

  public ContainerConfig withConsole(Console newConsole) {
    return with(draft -> draft.console = newConsole);
  }

  public ContainerConfig withLabels(Map<String, String> newLabels) {
    return with(draft -> draft.labels = newLabels);
  }

  private ContainerConfig with(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return new ContainerConfig(
        draft.key,
        epoch,
        argv,
        draft.env,
        draft.workingDir,
        draft.mounts,
        draft.user,
        draft.root,
        draft.limits,
        draft.terminationMessagePath,
        draft.target,
        draft.console,
        draft.labels);
  }

  /** What of a copy may differ. */
  private static final class Draft {
    private ContainerKey key;
    private Map<String, String> env;
    private String workingDir;
    private List<Mount> mounts;
    private User user;
    private RootFilesystem root;
    private Limits limits;
    private String terminationMessagePath;
    private String target;
    private Console console;
    private Map<String, String> labels;

    private Draft(ContainerConfig like) {
      key = like.key;
      env = like.env;
      workingDir = like.workingDir;
      mounts = like.mounts;
      user = like.user;
      root = like.root;
      limits = like.limits;
      terminationMessagePath = like.terminationMessagePath;
      target = like.target;
      console = like.console;
      labels = like.labels;
    }
  }

  /** Whether the container may write to its own copy of the root file system. */
  public enum RootFilesystem {
    WRITABLE,
    READ_ONLY
  }

  /** Something of the host or the sandbox made visible in the container. */
  public record Mount(Source source, String target, Access access) {

    public enum Access {
      READ_WRITE,
      READ_ONLY
    }

    public Mount {
      requireNonNull(source, "source");
      requireNonNull(access, "access");
      if (!target.startsWith("/") || target.equals("/")) {
        throw new IllegalArgumentException(
            "mount target: must be an absolute path below /, got \"" + target + "\"");
      }
    }

    public static Mount of(Path hostPath, String target) {
      return new Mount(new HostPath(hostPath), target, Access.READ_WRITE);
    }

    public static Mount readOnly(Path hostPath, String target) {
      return new Mount(new HostPath(hostPath), target, Access.READ_ONLY);
    }
  }

  /** Where a mount comes from. */
  public sealed interface Source {}

  /**
   * A file or directory of the host, which must exist.
   *
   * @param subPath a relative path in it, made if missing; empty = the directory itself. Links in
   *     it are followed as long as they stay inside
   */
  public record HostPath(Path path, String subPath) implements Source {
    public HostPath {
      if (!path.isAbsolute()) {
        throw new IllegalArgumentException("host path: must be absolute, got " + path);
      }
      checkInside(subPath);
    }

    public HostPath(Path path) {
      this(path, "");
    }
  }

  /**
   * A memory volume of the sandbox.
   *
   * @param subPath as in {@link HostPath}
   */
  public record Memory(String volume, String subPath) implements Source {
    public Memory {
      checkInside(subPath);
    }

    public Memory(String volume) {
      this(volume, "");
    }
  }

  private static void checkInside(String subPath) {
    for (String part : subPath.split("/", -1)) {
      if (part.equals("..") || (part.isEmpty() && !subPath.isEmpty())) {
        throw new IllegalArgumentException(
            "subPath: must be a relative path inside the volume, got \"" + subPath + "\"");
      }
    }
  }

  /** What a process may do beyond its user's rights. */
  public enum Privilege {
    /** The capabilities below, some of /proc and /sys read-only or hidden. */
    ORDINARY,
    /** All capabilities, all devices, nothing of /proc and /sys hidden. */
    PRIVILEGED
  }

  /** Whether executing a file may raise the process's rights (set-user-id, file capabilities). */
  public enum Escalation {
    ALLOWED,
    /** no_new_privs is set. */
    DENIED
  }

  /**
   * The identity of the process.
   *
   * @param capabilities numbers of the capabilities it may ever use; see {@link Capabilities}
   * @param seccomp the calls it may make; a privileged process is unconfined, whatever is said here
   */
  public record User(
      int uid,
      int gid,
      List<Integer> groups,
      Set<Integer> capabilities,
      Privilege privilege,
      Escalation escalation,
      Seccomp seccomp) {

    /** Root with containerd's default capabilities. */
    public static final User ROOT = of(0, 0);

    public User {
      groups = List.copyOf(groups);
      capabilities = Set.copyOf(capabilities);
      requireNonNull(privilege, "privilege");
      requireNonNull(escalation, "escalation");
      if (privilege == Privilege.PRIVILEGED) {
        seccomp = Seccomp.UNCONFINED;
      }
      if (uid < 0 || gid < 0) {
        throw new IllegalArgumentException("uid, gid: must not be negative: " + uid + ", " + gid);
      }
    }

    public static User of(int uid, int gid) {
      return new User(
          uid,
          gid,
          List.of(),
          Capabilities.DEFAULT,
          Privilege.ORDINARY,
          Escalation.ALLOWED,
          Seccomp.UNCONFINED);
    }

    public User withSeccomp(Seccomp newSeccomp) {
      return new User(uid, gid, groups, capabilities, privilege, escalation, newSeccomp);
    }
  }

  /**
   * Upper bounds, applied only where the machine has a writable cgroup hierarchy.
   *
   * @param memory in bytes
   * @param cpuMillis thousandths of a core
   * @param pids number of processes
   */
  public record Limits(OptionalLong memory, OptionalInt cpuMillis, OptionalInt pids) {
    public static final Limits NONE =
        new Limits(OptionalLong.empty(), OptionalInt.empty(), OptionalInt.empty());

    public static Limits ofMemory(long bytes) {
      return new Limits(OptionalLong.of(bytes), OptionalInt.empty(), OptionalInt.empty());
    }

    public boolean any() {
      return memory.isPresent() || cpuMillis.isPresent() || pids.isPresent();
    }
  }
}
