package dev.regroup.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.volume.Claims;
import dev.regroup.node.volume.VolumeFailure;
import dev.regroup.runtime.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One directory for each bound claim, named after the claim's uid. It is made for the first pod,
 * stays through every pod, and goes when the claim is gone: at once, or when the node starts. The
 * nodes of one machine share these directories: a claim is the same on all of them.
 */
final class ClaimDirectories implements Claims {

  private static final Logger LOG = LoggerFactory.getLogger(ClaimDirectories.class);

  private record Claim(String uid, boolean isBound) {

    /** A volume of another name is none of ours, whatever the claim says. */
    static Claim of(ObjectNode claim) {
      String uid = claim.path("metadata").path("uid").asText("");
      return new Claim(
          uid,
          claim.path("status").path("phase").asText("").equals("Bound")
              && claim.path("spec").path("volumeName").asText("").equals("pvc-" + uid));
    }
  }

  private final Path root;
  private Set<Path> before = Set.of();
  private final Informer<Claim> claims;
  private final PodThreads removals = new PodThreads();

  ClaimDirectories(Path root, Transport transport, RandomGenerator random) {
    this.root = root;
    this.claims =
        new Informer<>(transport, Kinds.CLAIMS, ListQuery.ALL, Claim::of, random)
            .listen(this::changed);
  }

  void start() {
    before = present(); // first: whose claim is not known later than this has none any more
    claims.start();
  }

  private Set<Path> present() {
    if (!Files.isDirectory(root)) {
      return Set.of();
    }
    try (var found = Files.list(root)) {
      return found.collect(Collectors.toSet());
    } catch (IOException e) {
      LOG.warn("{}: {}", root, e.getMessage());
      return Set.of();
    }
  }

  /** Waits until all claims are known, then removes what belongs to none of them. */
  boolean awaitSynced(Duration timeout) throws InterruptedException {
    if (!claims.awaitSynced(timeout)) {
      return false;
    }
    var known = claims.all().stream().map(item -> item.value().uid()).collect(Collectors.toSet());
    before.stream()
        .filter(path -> !known.contains(path.getFileName().toString()))
        .forEach(this::remove);
    return true;
  }

  void stop() throws InterruptedException {
    claims.close();
    removals.stop();
  }

  @Override
  public Path directory(String volume, String namespace, String claim) throws VolumeFailure {
    var found = claims.get(new ObjectKey(namespace, claim));
    if (found.isEmpty()) {
      throw new VolumeFailure(volume, "persistentvolumeclaim \"%s\" not found".formatted(claim));
    }
    if (!found.get().value().isBound()) {
      throw new VolumeFailure(volume, "PVC %s/%s is not bound".formatted(namespace, claim));
    }
    var path = root.resolve(found.get().value().uid());
    try {
      if (!Files.isDirectory(path)) {
        Files.createDirectories(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
      }
      return path;
    } catch (IOException e) {
      throw new VolumeFailure(volume, "cannot make the directory: " + e.getMessage(), e);
    }
  }

  private void changed(Delta<Claim> delta) {
    if (delta instanceof Delta.Removed<Claim>(var before)) {
      remove(root.resolve(before.value().uid()));
    }
  }

  private void remove(Path directory) {
    removals.start(
        "remove-claim-" + directory.getFileName(),
        () -> {
          try {
            FileTrees.delete(directory);
          } catch (IOException e) {
            LOG.warn("{}: {} (removed at the next start)", directory, e.getMessage());
          }
        });
  }
}
