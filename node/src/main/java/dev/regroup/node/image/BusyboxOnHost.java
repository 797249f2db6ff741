package dev.regroup.node.image;

import dev.regroup.runtime.ContainerConfig.Mount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the image {@code busybox} on a machine that has this program: its commands are found
 * where the machine has no program of that name, such as {@code httpd}. Every other image is left
 * to {@code others}.
 */
public final class BusyboxOnHost implements Images {

  private static final String FOLDER = "/busybox";
  private static final String NAME = "busybox";

  /** Makes a folder of commands when it is needed for the first time. */
  public interface Commands {

    /** Empty on a machine without the program. */
    Optional<Path> folder() throws IOException;
  }

  private final Images others;
  private final Commands commands;

  public BusyboxOnHost(Images others, Commands commands) {
    this.others = others;
    this.commands = commands;
  }

  @Override
  public void check(@Nullable String image, @Nullable String pullPolicy) throws ImageFailure {
    others.check(image, pullPolicy);
  }

  @Override
  public ImageProgram program(@Nullable String image, List<String> command) throws IOException {
    if (image == null || !ImageName.lastPart(image).equals(NAME)) {
      return others.program(image, command);
    }
    return commands
        .folder()
        .map(folder ->
            new ImageProgram(command, List.of(Mount.readOnly(folder, FOLDER)), List.of(FOLDER)))
        .orElseGet(() -> new ImageProgram(command, List.of()));
  }
}
