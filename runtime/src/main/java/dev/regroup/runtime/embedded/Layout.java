package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import java.nio.file.Path;

/**
 * Where things lie:
 *
 * <pre>
 *   lock                                     one runtime per directory
 *   boot                                     the start of the machine its processes belong to
 *   root/                                    empty; mount point inside each container's namespace
 *   pods/&lt;uid&gt;/sandbox/{spec,lock,start,error,network,shm/,volumes/}
 *   pods/&lt;uid&gt;/containers/&lt;name&gt;/&lt;attempt&gt;/{spec,lock,start,error,exit,stop,…}
 *   pods/&lt;uid&gt;/logs/&lt;name&gt;/&lt;attempt&gt;.log          kept when the attempt is removed (RAC-16);
 *                                            long ones with a hole in front
 *   cgroups                                  control groups this runtime made
 *   prepared/                                attempts nobody owns yet
 *   trash/                                   renamed here, then deleted in the background
 * </pre>
 */
record Layout(Path directory) {

  static final String SPEC = "spec";
  static final String LOCK = "lock";
  static final String START = "start";
  static final String EXIT = "exit";
  static final String ERROR = "error";
  static final String STOP = "stop";
  static final String REFUSED = "refused";
  static final String NETWORK = "network";
  static final String MESSAGE = "termination-log";
  static final String UPPER = "upper";
  static final String WORK = "work";
  static final String TMP = "tmp";
  static final String SHM = "shm";
  static final String VOLUMES = "volumes";
  static final String LOG_SUFFIX = ".log";

  Path lock() {
    return directory.resolve(LOCK);
  }

  Path boot() {
    return directory.resolve("boot");
  }

  Path mountPoint() {
    return directory.resolve("root");
  }

  /** The control groups ours lie in; only there while there are some. */
  Path cgroups() {
    return directory.resolve("cgroups");
  }

  Path trash() {
    return directory.resolve("trash");
  }

  Path prepared() {
    return directory.resolve("prepared");
  }

  Path pods() {
    return directory.resolve("pods");
  }

  Path pod(PodUid pod) {
    return pods().resolve(pod.value());
  }

  Path sandbox(PodUid pod) {
    return pod(pod).resolve("sandbox");
  }

  Path containers(PodUid pod) {
    return pod(pod).resolve("containers");
  }

  Path attempt(ContainerKey key) {
    return containers(key.pod()).resolve(key.name()).resolve(Integer.toString(key.attempt()));
  }

  Path logs(PodUid pod, String container) {
    return pod(pod).resolve("logs").resolve(container);
  }

  Path log(ContainerKey key) {
    return logs(key.pod(), key.name()).resolve(key.attempt() + LOG_SUFFIX);
  }
}
