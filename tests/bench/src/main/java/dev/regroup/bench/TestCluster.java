package dev.regroup.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.rules.Stages.Moment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/**
 * What {@code regroup up} runs, in this process, so that the moments the node sees can be laid
 * beside those the workers report. Closing it ends every container.
 */
final class TestCluster implements AutoCloseable {

  private static final String DEFAULT_ACCOUNT =
      "/api/v1/namespaces/default/serviceaccounts/default";

  private final LocalCluster cluster;
  private final Transport admin;
  private final PreparedNode nextAttempts;

  TestCluster(Path directory) throws CliFailure, IOException, InterruptedException {
    this.cluster = LocalCluster.start(new LocalCluster.Settings(directory, 0, Gates.product()));
    this.admin = cluster.adminTransport();
    this.nextAttempts = new PreparedNode(directory.resolve("runtime"));
    try (var accounts = watch("/api/v1/namespaces/default/serviceaccounts", "")) {
      while (!admin.send(Request.get(DEFAULT_ACCOUNT, "")).ok()) { // pods need one
        accounts.next();
      }
    }
  }

  Transport admin() {
    return admin;
  }

  PreparedNode nextAttempts() {
    return nextAttempts;
  }

  /** Creates an object and returns it as it was stored. */
  JsonNode create(String path, String json) throws IOException, InterruptedException {
    var request =
        Request.of("POST", path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    var response = admin.send(request);
    if (!response.ok()) {
      throw new IllegalStateException(
          "refused: " + new String(response.body(), StandardCharsets.UTF_8));
    }
    return Wire.tree(response.body());
  }

  /** Deletes a pod and waits until the node has let go of it. */
  void deletePod(String path, String name) throws IOException, InterruptedException {
    try (var events = watch(path, "fieldSelector=metadata.name%3D" + name)) {
      var reply =
          admin.send(new Request("DELETE", path + "/" + name, "", Headers.NONE, new byte[0]));
      if (!reply.ok()) {
        throw new IllegalStateException("not deleted: HTTP " + reply.status());
      }
      while (!Wire.tree(events.next()).path("type").asText().equals("DELETED")) {
        // the events before it are of no interest
      }
    }
  }

  Events watch(String path, String query) throws IOException, InterruptedException {
    String all = query.isEmpty() ? "watch=true" : "watch=true&" + query;
    return new Events(admin.open(Request.get(path, all)));
  }

  /** The moments of a pod's restart, counted from 1; waits until the pod tells of it. */
  Map<Moment, Instant> restart(String path, String name, int cycle)
      throws IOException, InterruptedException {
    try (var events = watch(path, "fieldSelector=metadata.name%3D" + name)) {
      while (true) {
        var pod = Wire.tree(events.next()).path("object");
        var told = RestartHistories.read(pod.path("metadata").path("annotations"));
        for (var restart : told.newest()) {
          if (restart.cycle() == cycle) {
            return restart.moments();
          }
        }
      }
    }
  }

  @Override
  public void close() throws CliFailure {
    try (cluster) {
      cluster.endEverything();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted: containers may still run", e);
    }
  }

  /** A watch that must not end. */
  record Events(Transport.Stream stream) implements AutoCloseable {

    byte[] next() throws IOException, InterruptedException {
      byte[] frame = stream.next();
      if (frame == null) {
        throw new IOException("the watch ended");
      }
      return frame;
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
