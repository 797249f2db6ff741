package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.embedded.root.PreparedRoot;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.supervision.Supervisor;
import dev.regroup.runtime.embedded.tapes.ContainerPlan;
import dev.regroup.runtime.embedded.tapes.Device;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A run that has everything but its command: its child waits in the pod's namespaces, with its root
 * file system, under its supervisor.
 *
 * @param root its directory becomes the run's by being renamed
 * @param process is told to go on, or closed
 */
record NextRun(Ground ground, PreparedRoot root, ContainerPlan plan, TapeRunner.Waiting process) {

  /** Supervisor and child. */
  StateFile.Start processes() {
    return StateFile.start(process.said())
        .orElseThrow(() -> new IllegalStateException("it waits and has no number"));
  }

  /** Its log, while nobody knows whether there will be such a run. */
  static final String LOG = "log";

  /**
   * What it was built on. A run that is asked for later can be this one if it stands on an equal
   * ground: same sandbox, same user, and the very same files behind the same mounts.
   *
   * @param spec without what is needed only for going on: each attempt of a group has another
   *     number in its environment
   * @param sources what identifies the files and directories that are mounted
   * @param devices those the container has
   */
  record Ground(
      ContainerConfig spec,
      Optional<Supervisor> sandbox,
      List<ContainerPlan.Bind> mounts,
      List<Object> sources,
      List<Device> devices) {

    static Ground of(ContainerConfig spec, Sandbox sandbox) throws IOException, RuntimeFailure {
      var mounts = ContainerPlanner.binds(spec, sandbox);
      var sources = new ArrayList<Object>();
      for (var mount : mounts) {
        sources.add(identity(mount.source().resolve(mount.subPath())));
      }
      return new Ground(
          withoutCommand(spec),
          sandbox.supervisor(),
          mounts,
          sources,
          ContainerPlanner.devices(spec));
    }

    /** What cannot be told apart, or is yet to be made, is not equal to anything. */
    private static Object identity(Path source) throws IOException {
      try {
        var key = Files.readAttributes(source, BasicFileAttributes.class).fileKey();
        return key == null ? new Object() : key;
      } catch (NoSuchFileException e) {
        return new Object();
      }
    }

    private static ContainerConfig withoutCommand(ContainerConfig spec) {
      return ContainerConfig.of(spec.key(), 0, List.of("any"))
          .withWorkingDir(spec.workingDir())
          .withMounts(spec.mounts())
          .withUser(spec.user())
          .withRoot(spec.root())
          .withLimits(spec.limits())
          .withTerminationMessagePath(spec.terminationMessagePath())
          .withTarget(spec.target())
          .withConsole(spec.console());
    }

    /** Not what belongs to one run only, nor what the tape has to look for in the sandbox. */
    static boolean possible(ContainerConfig spec) {
      return !spec.limits().any()
          && spec.target().isEmpty()
          && spec.console() == Console.NONE
          && spec.mounts().stream()
              .noneMatch(mount ->
                  mount.source() instanceof ContainerConfig.Memory memory
                      && !memory.subPath().isEmpty());
    }
  }
}
