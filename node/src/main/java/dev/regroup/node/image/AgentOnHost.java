package dev.regroup.node.image;

import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.runtime.ContainerConfig.Mount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the image of Regroup's own agent, which every machine with Regroup has: the folder of
 * the agent is mounted read-only where it is in the image, and the program of the image leads
 * there; beside it a folder where the API server can be reached. Every other image is left to
 * {@code others}.
 */
public final class AgentOnHost implements Images {

  /** Where an agent finds the API server on this machine: {@code api} in this folder. */
  public static final String API_FOLDER = "/in-place-restart-api";

  private static final String FOLDER = "/in-place-restart";

  /** Makes a folder when it is needed for the first time. */
  public interface Folder {
    Path get() throws IOException;
  }

  private final Images others;
  private final Folder folder;
  private final Folder api;

  public AgentOnHost(Images others, Folder folder, Folder api) {
    this.others = others;
    this.folder = folder;
    this.api = api;
  }

  @Override
  public void check(@Nullable String image, @Nullable String pullPolicy) throws ImageFailure {
    if (!AgentSettings.IMAGE.equals(image)) {
      others.check(image, pullPolicy);
    }
  }

  @Override
  public ImageProgram program(@Nullable String image, List<String> command) throws IOException {
    if (!AgentSettings.IMAGE.equals(image)) {
      return others.program(image, command);
    }
    var argv = new ArrayList<>(command);
    if (argv.isEmpty()) {
      argv.add(AgentSettings.COMMAND);
    }
    if (argv.getFirst().equals(AgentSettings.COMMAND)) {
      argv.set(0, FOLDER + AgentSettings.COMMAND);
    }
    return new ImageProgram(
        argv, List.of(Mount.readOnly(folder.get(), FOLDER), Mount.readOnly(api.get(), API_FOLDER)));
  }
}
