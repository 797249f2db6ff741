package dev.regroup.control.owners;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What an owner leaves behind on purpose, when watches of different kinds race each other. */
@EveryRoad
class OrphansIT {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String SECRETS = "/api/v1/namespaces/default/secrets";
  private static final Duration SOON = Duration.ofSeconds(30);

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;
  private Transport admin;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    admin = plane.admin();
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void an_orphan_stays_although_its_watch_lags_behind_that_of_its_owner() throws Exception {
    create("owner", "child");
    seeOnePairGo("first");
    plane.hold(watch -> watch.path().endsWith("/secrets"));

    delete(MAPS + "/owner", "Orphan");
    awaitGone(MAPS + "/owner");
    create("last", "end");
    delete(MAPS + "/last", "Background");
    awaitGone(MAPS + "/last");
    plane.release();
    awaitGone(SECRETS + "/end");

    var child = Wire.tree(admin.send(Request.get(SECRETS + "/child", "")).body());
    assertThat(child.path("kind").asText()).isEqualTo("Secret");
    assertThat(child.path("metadata").has("ownerReferences")).isFalse();
  }

  /** Afterwards the controllers know all secrets there were. */
  private void seeOnePairGo(String name) throws Exception {
    create(name, name);
    delete(MAPS + "/" + name, "Background");
    awaitGone(SECRETS + "/" + name);
  }

  private void create(String owner, String child) throws Exception {
    var map = post(MAPS, "{\"metadata\":{\"name\":\"%s\"}}".formatted(owner));
    post(
        SECRETS,
        """
        {"metadata":{"name":"%s","ownerReferences":[
          {"apiVersion":"v1","kind":"ConfigMap","name":"%s","uid":"%s"}]}}
        """
            .formatted(child, owner, map.path("metadata").path("uid").asText()));
  }

  private ObjectNode post(String path, String json) throws Exception {
    return sent("POST", path, json);
  }

  private void delete(String path, String propagation) throws Exception {
    sent("DELETE", path, "{\"propagationPolicy\":\"%s\"}".formatted(propagation));
  }

  private ObjectNode sent(String method, String path, String json) throws Exception {
    var response =
        admin.send(Request.of(method, path, "application/json", Wire.write(Wire.tree(json))));
    assertThat(response.ok()).as("%s %s", method, path).isTrue();
    return Wire.tree(response.body());
  }

  private void awaitGone(String path) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (admin.send(Request.get(path, "")).status() != 404) {
      assertThat(System.nanoTime()).as("%s is still there", path).isLessThan(deadline);
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos()); // a bounded wait for the fact above
    }
  }
}
