package dev.regroup.node.volume;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Lays out the volumes of one pod below its directory. Asking again is cheap and changes nothing
 * that a container wrote; content of configuration volumes is brought up to date. One thread (the
 * pod's worker) at a time.
 */
public final class Volumes {

  private final Path directory;
  private final Configs configs;
  private final Claims claims;

  /**
   * For one pod.
   *
   * @param directory the pod's own; made when the first volume needs it
   */
  public Volumes(Path directory, Configs configs, Claims claims) {
    this.directory = directory;
    this.configs = configs;
    this.claims = claims;
  }

  public Map<String, Prepared> prepare(Pod pod, DownwardApi fields)
      throws VolumeFailure, InterruptedException {
    var prepared = new LinkedHashMap<String, Prepared>();
    for (var volume : pod.getSpec().getVolumes()) {
      prepared.put(volume.getName(), prepare(pod, volume, fields));
    }
    return prepared;
  }

  private Prepared prepare(Pod pod, Volume volume, DownwardApi fields)
      throws VolumeFailure, InterruptedException {
    var name = volume.getName();
    if (volume.getHostPath() != null) {
      return new Prepared.OnDisk(HostPaths.prepare(name, volume.getHostPath()), false);
    }
    if (volume.getEmptyDir() != null) {
      return emptyDir(name, volume.getEmptyDir(), FsGroup.of(pod));
    }
    var claim = volume.getPersistentVolumeClaim();
    if (claim != null) {
      var path = claims.directory(name, pod.getMetadata().getNamespace(), claim.getClaimName());
      boolean readOnly = Boolean.TRUE.equals(claim.getReadOnly());
      if (!readOnly) {
        giveTo(FsGroup.of(pod), name, path);
      }
      return new Prepared.OnDisk(path, readOnly);
    }
    var sources = new PayloadSources(configs, pod.getMetadata().getNamespace(), fields);
    try {
      var payload = sources.payload(volume);
      if (payload.isEmpty()) {
        throw new VolumeFailure(name, "this node cannot provide volumes of this kind");
      }
      var group = FsGroup.of(pod);
      var path = directory.resolve(name);
      if (make(path, "rwxr-xr-x")) {
        group.giveReadable(path);
      }
      payload.get().writeTo(path, group);
      return new Prepared.OnDisk(path, true);
    } catch (ConfigFailure e) {
      throw new VolumeFailure(name, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new VolumeFailure(name, "cannot write: " + e.getMessage(), e);
    }
  }

  /** The directory itself; who owns what earlier pods left in it stays as it is. */
  private static void giveTo(FsGroup group, String name, Path path) throws VolumeFailure {
    try {
      group.giveWritable(path);
    } catch (IOException e) {
      throw new VolumeFailure(name, "cannot be given to its fsGroup: " + e.getMessage(), e);
    }
  }

  private Prepared emptyDir(String name, EmptyDirVolumeSource source, FsGroup group)
      throws VolumeFailure {
    if ("Memory".equals(source.getMedium())) {
      var ownership = new Prepared.Ownership(group.writable(0777), group.gid().orElse(0));
      return new Prepared.InMemory(name, bytes(source.getSizeLimit()), ownership);
    }
    try {
      var path = directory.resolve(name);
      if (make(path, "rwxrwxrwx")) {
        group.giveWritable(path);
      }
      return new Prepared.OnDisk(path, false);
    } catch (IOException e) {
      throw new VolumeFailure(name, "cannot make the directory: " + e.getMessage(), e);
    }
  }

  /** False if it is there already. */
  private static boolean make(Path path, String permissions) throws IOException {
    if (Files.isDirectory(path)) {
      return false;
    }
    Files.createDirectories(path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    return true;
  }

  private static OptionalLong bytes(@Nullable Quantity limit) {
    if (limit == null) {
      return OptionalLong.empty();
    }
    long bytes = limit.getNumericalAmount().longValue();
    return bytes <= 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
  }
}
