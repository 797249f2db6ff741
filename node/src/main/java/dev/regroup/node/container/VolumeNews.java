package dev.regroup.node.container;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import dev.regroup.node.env.PodToken;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.volume.VolumeFailure;
import dev.regroup.node.volume.Volumes;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what others change into the volumes of a pod that runs: its own labels and annotations as
 * soon as they change, config maps and secrets then and about once a minute, as the kubelet does.
 * The latter are fetched on a thread of its own, because the API server may be slow or away and the
 * pod must not wait; the pod's worker then writes them. What fails is tried again with a later
 * look, containers keep what they have.
 */
public final class VolumeNews {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeNews.class);
  private static final Duration PERIOD = Duration.ofSeconds(60);

  /** How annotations begin that the node and the controllers of groups write. */
  private static final List<String> NOTES = List.of("regroup.dev/", "jobset.sigs.k8s.io/");

  private final ContainerDescriber starts;
  private final Configs configs;
  private final PodThreads threads;
  private final Pokes pokes;
  private final InstantSource clock;
  private final AtomicReference<@Nullable Fetched> fetched = new AtomicReference<>();
  private @Nullable Object shown; // labels and annotations that the files show
  private @Nullable Instant fetchedAt; // when it was last asked for

  /** One answer of the API server to every question that the volumes of a pod ask. */
  private record Fetched(
      Configs configs,
      Map<String, Optional<Map<String, byte[]>>> configMaps,
      Map<String, Optional<Map<String, byte[]>>> secrets)
      implements Configs {

    @Override
    public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
      return configMaps.getOrDefault(name, Optional.empty());
    }

    @Override
    public Optional<Map<String, byte[]>> secret(String namespace, String name) {
      return secrets.getOrDefault(name, Optional.empty());
    }

    @Override
    public String token(PodToken token) throws ConfigFailure, InterruptedException {
      return configs.token(token);
    }

    @Override
    public boolean isDue(PodToken token) {
      return configs.isDue(token);
    }
  }

  VolumeNews(
      ContainerDescriber starts,
      Configs configs,
      PodThreads threads,
      Pokes pokes,
      InstantSource clock) {
    this.starts = starts;
    this.configs = configs;
    this.threads = threads;
    this.pokes = pokes;
    this.clock = clock;
  }

  /** Does what can be done now without waiting. Called with every look that found nothing to do. */
  public void look(NodePod view, String address) throws InterruptedException {
    if (!Volumes.showsNews(view.pod())) {
      return;
    }
    var answer = fetched.getAndSet(null);
    if (answer != null) {
      write(view, address, answer);
    }
    var now = clock.instant();
    var own = own(view);
    if (fetchedAt == null) { // the first look: the volumes were written a moment ago
      fetchedAt = now;
      shown = own;
    } else if (!own.equals(shown) || Duration.between(fetchedAt, now).compareTo(PERIOD) >= 0) {
      fetchedAt = now;
      shown = own;
      threads.start("volumes-" + view.name(), () -> fetch(view));
    }
  }

  /**
   * What the pod says of itself. Notes of its node and group are no news where no file shows them:
   * a restart of a thousand pods must not ask for their config maps.
   */
  private static Object own(NodePod view) {
    var metadata = view.pod().getMetadata();
    var annotations = new HashMap<String, String>();
    if (metadata.getAnnotations() != null) {
      annotations.putAll(metadata.getAnnotations());
    }
    if (!Volumes.showsItself(view.pod())) {
      annotations.keySet().removeIf(key -> NOTES.stream().anyMatch(key::startsWith));
    }
    return List.of(metadata.getLabels() == null ? Map.of() : metadata.getLabels(), annotations);
  }

  private void fetch(NodePod view) throws InterruptedException {
    var answer = new Fetched(configs, new HashMap<>(), new HashMap<>());
    try {
      for (var volume : view.pod().getSpec().getVolumes()) {
        for (var name : configMaps(volume).toList()) {
          answer.configMaps().put(name, configs.configMap(view.namespace(), name));
        }
        for (var name : secrets(volume).toList()) {
          answer.secrets().put(name, configs.secret(view.namespace(), name));
        }
      }
      fetched.set(answer);
      pokes.poke();
    } catch (ConfigFailure e) {
      LOG.debug("volumes of {} were not looked at", view.key(), e);
    }
  }

  private void write(NodePod view, String address, Configs answer) throws InterruptedException {
    try {
      var fields = new DownwardApi(view.pod(), starts.facts(address));
      starts.volumes(answer).writeNews(view.pod(), fields);
    } catch (VolumeFailure e) {
      LOG.debug("volumes of {} keep what they have", view.key(), e);
    }
  }

  private static Stream<String> configMaps(Volume volume) {
    return Stream.concat(
        Stream.ofNullable(volume.getConfigMap()).map(source -> source.getName()),
        parts(volume)
            .filter(part -> part.getConfigMap() != null)
            .map(part -> part.getConfigMap().getName()));
  }

  private static Stream<String> secrets(Volume volume) {
    return Stream.concat(
        Stream.ofNullable(volume.getSecret()).map(source -> source.getSecretName()),
        parts(volume)
            .filter(part -> part.getSecret() != null)
            .map(part -> part.getSecret().getName()));
  }

  private static Stream<VolumeProjection> parts(Volume volume) {
    return Stream.ofNullable(volume.getProjected()).flatMap(source -> source.getSources().stream());
  }
}
