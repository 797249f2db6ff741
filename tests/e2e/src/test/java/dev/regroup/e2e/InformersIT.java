package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.testing.ExpectsThread;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client most operators in Java are written with, over HTTPS, with nothing but the kubeconfig.
 * Its informers follow random changes of several writers while the network drops their connections
 * again and again; what they saw is compared with what the server's own log of changes says.
 */
@ExpectsThread(
    value = "kubernetes-client.*",
    because = "fabric8 ends its pool by letting idle threads go after a minute")
class InformersIT {

  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final int CHANGES = Integer.getInteger("informer.changes", 1_500);
  private static final long SEED = Long.getLong("informer.seed", System.nanoTime());
  private static final int WRITERS = 4;
  private static final int NAMES = 12; // of each writer, of each kind
  private static final int DROPS = 8; // of all connections, spread over the changes
  private static final String NAMESPACE = "followed";
  private static final String END = "end";

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void see_every_version_in_order_while_connections_are_dropped() throws Exception {
    var direct = Config.fromKubeconfig(Files.readString(cluster.kubeconfig()));
    try (var proxy = DroppingProxy.before(URI.create(direct.getMasterUrl()).getPort());
        var writer = new KubernetesClientBuilder().withConfig(direct).build();
        var reader = new KubernetesClientBuilder().withConfig(through(proxy, direct)).build()) {
      writer.namespaces().resource(namespace()).create();
      var configMaps = new Seen<ConfigMap>();
      var pods = new Seen<Pod>();
      awaitBeginning(writer);
      try (var allConfigMaps = Log.of("configmaps");
          var allPods = Log.of("pods");
          var ofConfigMaps = configMaps.follow(reader.configMaps());
          var ofPods = pods.follow(reader.pods())) {
        int dropped = change(writer, proxy);

        configMaps.awaitEnd();
        pods.awaitEnd();
        assertThat(dropped).as("connections dropped").isGreaterThanOrEqualTo(DROPS);
        assertThat(configMaps.versions()).as("seed %d", SEED).isEqualTo(allConfigMaps.versions());
        assertThat(pods.versions()).as("seed %d", SEED).isEqualTo(allPods.versions());
        assertThat(state(ofConfigMaps.getIndexer().list()))
            .isEqualTo(state(writer.configMaps().inNamespace(NAMESPACE).list().getItems()));
        assertThat(state(ofPods.getIndexer().list()))
            .isEqualTo(state(writer.pods().inNamespace(NAMESPACE).list().getItems()));
      }
    }
  }

  /** The config map every namespace gets is there: whatever changes from now on, the test does. */
  private static void awaitBeginning(KubernetesClient client) {
    client
        .configMaps()
        .inNamespace(NAMESPACE)
        .withName("kube-root-ca.crt")
        .waitUntilCondition(Objects::nonNull, LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** The same user by a way that breaks. */
  private static Config through(DroppingProxy proxy, Config direct) {
    return new ConfigBuilder(direct)
        .withMasterUrl("https://127.0.0.1:" + proxy.port())
        .withWatchReconnectInterval(50)
        .build();
  }

  /** Makes the changes, drops connections meanwhile, and returns how many. */
  private static int change(KubernetesClient client, DroppingProxy proxy) throws Exception {
    var done = new AtomicInteger();
    var dropped = new AtomicInteger();
    try (var writers = Executors.newFixedThreadPool(WRITERS)) {
      var work = new ArrayList<Future<?>>();
      for (int number = 0; number < WRITERS; number++) {
        var writer = new RandomWriter(client, number);
        Callable<Void> changes =
            () -> {
              for (int n = 0; n < CHANGES / WRITERS; n++) {
                writer.change();
                if (done.incrementAndGet() % (CHANGES / (DROPS + 1)) == 0) {
                  ClusterProcesses.await(proxy::hasConnection, "a connection to drop");
                  dropped.addAndGet(proxy.drop());
                }
              }
              return null;
            };
        work.add(writers.submit(changes));
      }
      for (var task : work) {
        task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
    }
    configMaps(client).resource(configMap(END, 0)).create();
    pods(client).resource(pod(END, 0)).create();
    return dropped.get();
  }

  private static NonNamespaceOperation<ConfigMap, ?, Resource<ConfigMap>> configMaps(
      KubernetesClient client) {
    return client.configMaps().inNamespace(NAMESPACE);
  }

  private static NonNamespaceOperation<Pod, ?, ? extends Resource<Pod>> pods(
      KubernetesClient client) {
    return client.pods().inNamespace(NAMESPACE);
  }

  /** Objects by name with all they hold. */
  private static Map<String, HasMetadata> state(List<? extends HasMetadata> objects) {
    var state = new TreeMap<String, HasMetadata>();
    objects.forEach(object -> state.put(object.getMetadata().getName(), object));
    return state;
  }

  private static io.fabric8.kubernetes.api.model.Namespace namespace() {
    return new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build();
  }

  private static ConfigMap configMap(String name, int value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .addToData("value", String.valueOf(value))
        .build();
  }

  /** A pod that nobody starts. */
  private static Pod pod(String name, int value) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("value", String.valueOf(value))
        .endMetadata()
        .withNewSpec()
        .addNewSchedulingGate("test/never")
        .addNewContainer()
        .withName("main")
        .withImage("host")
        .endContainer()
        .endSpec()
        .build();
  }

  /** Changes objects that are its own, so that it knows what is there. */
  private static final class RandomWriter {
    private final KubernetesClient client;
    private final int number;
    private final Random random;
    private final Map<String, Boolean> there = new TreeMap<>();

    RandomWriter(KubernetesClient client, int number) {
      this.client = client;
      this.number = number;
      this.random = new Random(SEED + number);
    }

    void change() {
      String name = "object-" + number + "-" + random.nextInt(NAMES);
      int value = random.nextInt(1_000_000);
      if (random.nextBoolean()) {
        change(
            configMaps(client),
            "c/" + name,
            configMap(name, value),
            map -> {
              map.getData().put("value", "updated-" + value);
              return map;
            });
      } else {
        change(
            pods(client),
            "p/" + name,
            pod(name, value),
            pod -> {
              pod.getMetadata().getLabels().put("value", "updated" + value);
              return pod;
            });
      }
    }

    private <T extends HasMetadata> void change(
        NonNamespaceOperation<T, ?, ? extends Resource<T>> all,
        String key,
        T object,
        UnaryOperator<T> updated) {
      var resource = all.resource(object);
      if (!there.getOrDefault(key, false)) {
        resource.create();
        there.put(key, true);
        return;
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          var _ = resource.withGracePeriod(0).delete();
          there.put(key, false);
        }
        case 1 -> update(all, resource, updated);
        default -> {
          String patch = "{\"metadata\":{\"annotations\":{\"patched\":\"%d\"}}}";
          resource.patch(PatchContext.of(PatchType.JSON_MERGE), patch.formatted(random.nextInt()));
        }
      }
    }

    /** Reads and writes back what it read, again when somebody else was faster. */
    private static <T extends HasMetadata> void update(
        NonNamespaceOperation<T, ?, ? extends Resource<T>> all,
        Resource<T> resource,
        UnaryOperator<T> updated) {
      while (true) {
        var now = resource.get();
        try {
          var _ = all.resource(updated.apply(now)).update();
          return;
        } catch (KubernetesClientException e) {
          if (e.getCode() != 409) {
            throw e;
          }
        }
      }
    }
  }

  /** What an informer told, by object: versions in the order of telling. */
  private static final class Seen<T extends HasMetadata> implements ResourceEventHandler<T> {
    private final Map<String, List<String>> versions = new TreeMap<>(); // guarded by this
    private final CountDownLatch end = new CountDownLatch(1);

    SharedIndexInformer<T> follow(MixedOperation<T, ?, ? extends Resource<T>> kind) {
      return kind.inNamespace(NAMESPACE).inform(this);
    }

    @Override
    public synchronized void onAdd(T object) {
      add("ADDED", object);
    }

    @Override
    public synchronized void onUpdate(T old, T object) {
      add("MODIFIED", object);
    }

    @Override
    public synchronized void onDelete(T object, boolean finalStateUnknown) {
      add(finalStateUnknown ? "GONE" : "DELETED", object);
    }

    private void add(String type, T object) {
      var metadata = object.getMetadata();
      versions
          .computeIfAbsent(metadata.getName(), _ -> new ArrayList<>())
          .add(type + " " + metadata.getResourceVersion());
      if (metadata.getName().equals(END)) {
        end.countDown();
      }
    }

    void awaitEnd() throws InterruptedException {
      assertThat(end.await(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .as("the last object was seen, seed %d", SEED)
          .isTrue();
    }

    synchronized Map<String, List<String>> versions() {
      versions.remove("kube-root-ca.crt");
      return Map.copyOf(versions);
    }
  }

  /** All changes of a collection from now on, by a watch of our own that nobody drops. */
  private static final class Log implements AutoCloseable {
    private final Transport.Stream stream;
    private final Map<String, List<String>> versions = new TreeMap<>();
    private final Thread thread;

    private Log(Transport.Stream stream) {
      this.stream = stream;
      this.thread = Thread.ofPlatform().daemon().name("log-of-changes").start(this::read);
    }

    static Log of(String resource) throws Exception {
      String path = "/api/v1/namespaces/" + NAMESPACE + "/" + resource;
      var now = cluster.kube().get(path).at("/metadata/resourceVersion").asText();
      return new Log(
          cluster.kube().transport().open(Request.get(path, "watch=1&resourceVersion=" + now)));
    }

    private void read() {
      try {
        for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
          JsonNode event = Kube.JSON.readTree(frame);
          var metadata = event.path("object").path("metadata");
          String name = metadata.path("name").asText();
          versions
              .computeIfAbsent(name, _ -> new ArrayList<>())
              .add(event.path("type").asText() + " " + metadata.path("resourceVersion").asText());
          if (name.equals(END)) {
            return;
          }
        }
      } catch (Exception e) {
        throw new AssertionError("the log of changes broke off", e);
      }
    }

    Map<String, List<String>> versions() throws InterruptedException {
      assertThat(thread.join(LIMIT)).as("the log of changes has its end").isTrue();
      return versions;
    }

    @Override
    public void close() throws InterruptedException {
      stream.close();
      thread.join();
    }
  }
}
