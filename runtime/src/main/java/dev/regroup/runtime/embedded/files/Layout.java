package dev.regroup.runtime.embedded.files;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Where things lie:
 *
 * <pre>
 *   lock                                     one runtime per directory
 *   boot                                     the start of the machine its processes belong to
 *   root/                                    empty; mount point inside each container's namespace
 *   pods/&lt;uid&gt;/sandbox/{spec,lock,start,error,network,shm/,volumes/}
 *   pods/&lt;uid&gt;/containers/&lt;name&gt;/&lt;run&gt;/{spec,lock,start,error,exit,stop,…}
 *   pods/&lt;uid&gt;/logs/&lt;name&gt;/&lt;run&gt;.log          kept when the run is removed (RAC-16);
 *                                            long ones with a hole in front
 *   cgroups                                  control groups this runtime made
 *   prepared/                                runs nobody owns yet
 *   trash/                                   renamed here, then deleted in the background
 * </pre>
 */
public record Layout(Path directory) {

  public static final String SPEC = "spec";
  public static final String LOCK = "lock";
  public static final String START = "start";
  public static final String EXIT = "exit";
  public static final String ERROR = "error";
  public static final String STOP = "stop";
  public static final String REFUSED = "refused";
  public static final String NETWORK = "network";
  public static final String MESSAGE = "termination-log";
  public static final String UPPER = "upper";
  public static final String WORK = "work";
  public static final String TMP = "tmp";
  public static final String SHM = "shm";
  public static final String VOLUMES = "volumes";

  /** Of a run that reads: pipes, in a place of their own because the run's directory is watched. */
  public static final String CONSOLE = "console";

  public static final String STDIN = "console/stdin";
  public static final String STDIN_END = "console/end";

  /** The supervisor's descriptor of its container's terminal; the next program looks for it. */
  public static final int CONSOLE_FD = 1000;

  public static final String LOG_SUFFIX = ".log";

  public Path lock() {
    return directory.resolve(LOCK);
  }

  public Path boot() {
    return directory.resolve("boot");
  }

  public Path mountPoint() {
    return directory.resolve("root");
  }

  /** The control groups ours lie in; only there while there are some. */
  public Path cgroups() {
    return directory.resolve("cgroups");
  }

  public Path trash() {
    return directory.resolve("trash");
  }

  public Path prepared() {
    return directory.resolve("prepared");
  }

  public Path pods() {
    return directory.resolve("pods");
  }

  public Path pod(PodUid pod) {
    return pods().resolve(pod.value());
  }

  public Path sandbox(PodUid pod) {
    return pod(pod).resolve("sandbox");
  }

  public Path containers(PodUid pod) {
    return pod(pod).resolve("containers");
  }

  public Path run(ContainerKey key) {
    return containers(key.pod()).resolve(key.name()).resolve(Integer.toString(key.run()));
  }

  public Path logs(PodUid pod, String container) {
    return pod(pod).resolve("logs").resolve(container);
  }

  public Path log(ContainerKey key) {
    return logs(key.pod(), key.name()).resolve(key.run() + LOG_SUFFIX);
  }

  /** What lies in it, in order; nothing if it is not there. */
  public static List<Path> list(Path directory) {
    try (var entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
