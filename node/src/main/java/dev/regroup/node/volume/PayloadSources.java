package dev.regroup.node.volume;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import io.fabric8.kubernetes.api.model.DownwardAPIVolumeFile;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects the files of configMap, secret, downwardAPI and projected volumes. */
final class PayloadSources {

  private static final int DEFAULT_MODE = 0644;

  private final Configs configs;
  private final Pod pod;
  private final String namespace;
  private final DownwardApi fields;

  PayloadSources(Configs configs, Pod pod, DownwardApi fields) {
    this.configs = configs;
    this.pod = pod;
    this.namespace = pod.getMetadata().getNamespace();
    this.fields = fields;
  }

  /** Empty when the volume is of a kind this node does not know. */
  Optional<Payload> payload(Volume volume) throws ConfigFailure, InterruptedException {
    var files = new HashMap<String, Payload.File>();
    if (volume.getConfigMap() != null) {
      var source = volume.getConfigMap();
      configMap(
          source.getName(),
          source.getItems(),
          source.getOptional(),
          mode(source.getDefaultMode()),
          files);
    } else if (volume.getSecret() != null) {
      var source = volume.getSecret();
      secret(
          source.getSecretName(),
          source.getItems(),
          source.getOptional(),
          mode(source.getDefaultMode()),
          files);
    } else if (volume.getDownwardAPI() != null) {
      var source = volume.getDownwardAPI();
      downward(source.getItems(), mode(source.getDefaultMode()), files);
    } else if (volume.getProjected() != null) {
      var source = volume.getProjected();
      projected(source.getSources(), mode(source.getDefaultMode()), files);
    } else {
      return Optional.empty();
    }
    return Optional.of(new Payload(files));
  }

  /** All that is missing is told at once. */
  private void projected(List<VolumeProjection> parts, int mode, Map<String, Payload.File> files)
      throws ConfigFailure, InterruptedException {
    var problems = new LinkedHashSet<String>();
    for (var part : parts) {
      try {
        project(part, mode, files);
      } catch (ConfigFailure e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    if (!problems.isEmpty()) {
      var all = String.join(", ", problems);
      throw new ConfigFailure(problems.size() == 1 ? all : "[" + all + "]");
    }
  }

  private void project(VolumeProjection part, int mode, Map<String, Payload.File> files)
      throws ConfigFailure, InterruptedException {
    if (part.getConfigMap() != null) {
      var source = part.getConfigMap();
      configMap(source.getName(), source.getItems(), source.getOptional(), mode, files);
    } else if (part.getSecret() != null) {
      var source = part.getSecret();
      secret(source.getName(), source.getItems(), source.getOptional(), mode, files);
    } else if (part.getDownwardAPI() != null) {
      downward(part.getDownwardAPI().getItems(), mode, files);
    } else if (part.getServiceAccountToken() != null) {
      var source = part.getServiceAccountToken();
      var text = configs.token(TokenProjections.token(pod, source));
      files.put(source.getPath(), new Payload.File(text.getBytes(UTF_8), mode));
    } else {
      throw new ConfigFailure("this node cannot provide projections of this kind");
    }
  }

  private void configMap(
      String name,
      List<KeyToPath> items,
      @Nullable Boolean optional,
      int mode,
      Map<String, Payload.File> files)
      throws ConfigFailure, InterruptedException {
    boolean mayMiss = Boolean.TRUE.equals(optional);
    var data = orNothing(configs.configMap(namespace, name), "configmap", name, mayMiss);
    select(data, items, mayMiss, mode, "configmap references non-existent config key: ", files);
  }

  private void secret(
      String name,
      List<KeyToPath> items,
      @Nullable Boolean optional,
      int mode,
      Map<String, Payload.File> files)
      throws ConfigFailure, InterruptedException {
    boolean mayMiss = Boolean.TRUE.equals(optional);
    var data = orNothing(configs.secret(namespace, name), "secret", name, mayMiss);
    select(data, items, mayMiss, mode, "references non-existent secret key: ", files);
  }

  private static Map<String, byte[]> orNothing(
      Optional<Map<String, byte[]>> data, String kind, String name, boolean mayMiss)
      throws ConfigFailure {
    if (data.isEmpty() && !mayMiss) {
      throw new ConfigFailure("%s \"%s\" not found".formatted(kind, name));
    }
    return data.orElse(Map.of());
  }

  /** Without items every key becomes a file; with items only those, under their own paths. */
  private static void select(
      Map<String, byte[]> data,
      List<KeyToPath> items,
      boolean mayMiss,
      int mode,
      String missing,
      Map<String, Payload.File> files)
      throws ConfigFailure {
    if (items.isEmpty()) {
      data.forEach((key, value) -> files.put(key, new Payload.File(value, mode)));
      return;
    }
    for (var item : items) {
      var value = data.get(item.getKey());
      if (value == null && !mayMiss) {
        throw new ConfigFailure(missing + item.getKey());
      }
      if (value != null) {
        int own = item.getMode() == null ? mode : item.getMode();
        files.put(item.getPath(), new Payload.File(value, own));
      }
    }
  }

  private void downward(
      List<DownwardAPIVolumeFile> items, int mode, Map<String, Payload.File> files)
      throws ConfigFailure {
    for (var item : items) {
      var text =
          item.getFieldRef() == null
              ? fields.resource(item.getResourceFieldRef())
              : fields.field(item.getFieldRef().getFieldPath());
      int own = item.getMode() == null ? mode : item.getMode();
      files.put(item.getPath(), new Payload.File(text.getBytes(UTF_8), own));
    }
  }

  private static int mode(@Nullable Integer mode) {
    return mode == null ? DEFAULT_MODE : mode;
  }
}
