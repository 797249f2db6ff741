package dev.regroup.node.volume;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.EnvFile;
import dev.regroup.node.env.Environment;
import dev.regroup.runtime.FilesBeneath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Files of variables in the volumes of a pod. A container may have made a link of one, or make it
 * at this moment: it is followed only where it stays inside the volume.
 */
public final class VolumeEnvFiles implements Environment.Files {

  private static final int LARGEST = 1 << 20;

  private final Map<String, Prepared> volumes;

  public VolumeEnvFiles(Map<String, Prepared> volumes) {
    this.volumes = volumes;
  }

  @Override
  public String place(String volume, String path) throws ConfigFailure {
    return root(volume).resolve(relative(path)).normalize().toString();
  }

  @Override
  public String read(String volume, String path) throws ConfigFailure {
    try {
      return new String(FilesBeneath.read(root(volume), relative(path), LARGEST), UTF_8);
    } catch (IOException e) {
      throw EnvFile.unreadable();
    }
  }

  private static String relative(String path) {
    return path.replaceFirst("^/+", "");
  }

  private Path root(String volume) throws ConfigFailure {
    if (volumes.get(volume) instanceof Prepared.OnDisk(var path, _)) {
      return path;
    }
    throw new ConfigFailure(
        volumes.containsKey(volume)
            ? "this node cannot read variables from a volume in memory"
            : "cannot find the volume \"" + volume + "\" referenced by FileKeyRef");
  }
}
