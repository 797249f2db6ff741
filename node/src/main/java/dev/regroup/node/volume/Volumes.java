package dev.regroup.node.volume;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import dev.regroup.node.env.PodToken;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
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
      try {
        prepared.put(volume.getName(), prepare(pod, volume, fields));
      } catch (InvalidPathException e) { // API servers take any text
        throw new VolumeFailure(
            volume.getName(), "%s: %s".formatted(e.getReason(), e.getInput().replace("\0", "\\0")));
      }
    }
    return prepared;
  }

  /** The tokens in the volumes of a pod that must be fetched anew. */
  public List<PodToken> dueTokens(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .flatMap(volume -> TokenProjections.of(pod, volume).stream())
        .filter(configs::isDue)
        .toList();
  }

  /** Writes volumes with tokens again; containers that run see the new ones. */
  public void writeTokens(Pod pod, DownwardApi fields) throws VolumeFailure, InterruptedException {
    for (var volume : pod.getSpec().getVolumes()) {
      if (!TokenProjections.of(pod, volume).isEmpty()) {
        write(pod, volume, fields);
      }
    }
  }

  /** Whether a volume of the pod shows what others may change while it runs. */
  public static boolean showsNews(Pod pod) {
    return pod.getSpec().getVolumes().stream().anyMatch(Volumes::showsNews);
  }

  /** Whether a volume of the pod shows fields of the pod itself. */
  public static boolean showsItself(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .filter(Volumes::showsNews)
        .anyMatch(volume ->
            volume.getDownwardAPI() != null
                || (volume.getProjected() != null
                    && volume.getProjected().getSources().stream()
                        .anyMatch(source -> source.getDownwardAPI() != null)));
  }

  private static boolean showsNews(Volume volume) {
    return volume.getConfigMap() != null
        || volume.getSecret() != null
        || volume.getDownwardAPI() != null
        || (volume.getProjected() != null && !TokenProjections.lastsAsItsTokens(volume));
  }

  /** Writes the volumes that show news again; containers that run see what changed. */
  public void writeNews(Pod pod, DownwardApi fields) throws VolumeFailure, InterruptedException {
    for (var volume : pod.getSpec().getVolumes()) {
      boolean due = TokenProjections.of(pod, volume).stream().anyMatch(configs::isDue);
      if (showsNews(volume) && !due) { // else it is written when its token is there
        write(pod, volume, fields);
      }
    }
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
    boolean reusable =
        TokenProjections.lastsAsItsTokens(volume)
            && Files.exists(directory.resolve(name).resolve("..data"));
    boolean due = TokenProjections.of(pod, volume).stream().anyMatch(configs::isDue);
    if (reusable && !due) {
      return new Prepared.OnDisk(directory.resolve(name), true);
    }
    try {
      return write(pod, volume, fields);
    } catch (VolumeFailure e) {
      if (reusable) { // what is there may still be good; it is renewed as soon as it can be
        return new Prepared.OnDisk(directory.resolve(name), true);
      }
      throw e;
    }
  }

  private Prepared write(Pod pod, Volume volume, DownwardApi fields)
      throws VolumeFailure, InterruptedException {
    var name = volume.getName();
    var sources = new PayloadSources(configs, pod, fields);
    try {
      var payload = sources.payload(volume);
      if (payload.isEmpty()) {
        throw new VolumeFailure(name, "this node cannot provide volumes of this kind");
      }
      var group = FsGroup.of(pod);
      var path = directory.resolve(name);
      if (make(path, volume.getConfigMap() != null ? 0777 : 01777)) { // as the kubelet's look
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
      var ownership = new Prepared.Ownership(group.writable(01777), group.gid().orElse(0));
      return new Prepared.InMemory(name, bytes(source.getSizeLimit()), ownership);
    }
    try {
      var path = directory.resolve(name);
      if (make(path, 0777)) {
        group.giveWritable(path);
      }
      return new Prepared.OnDisk(path, false);
    } catch (IOException e) {
      throw new VolumeFailure(name, "cannot make the directory: " + e.getMessage(), e);
    }
  }

  /** False if it is there already. */
  private static boolean make(Path path, int mode) throws IOException {
    if (Files.isDirectory(path)) {
      return false;
    }
    Files.createDirectories(path);
    Files.setAttribute(path, "unix:mode", mode);
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
