package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.TestServer.Carrier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who a connection is, and what is kept when the server starts again. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpsIT {

  @Test
  void tells_strangers_no_more_than_that_it_is_there(@TempDir Path directory) throws Exception {
    try (var server = TestServer.start(directory)) {
      var stranger = server.anonymous();

      stranger.get("/version").expect(200);
      stranger.get("/readyz").expect(200);
      assertThat(stranger.get("/api").expect(403).text("/message"))
          .isEqualTo("forbidden: User \"system:anonymous\" cannot get path \"/api\"");
      assertThat(stranger.get("/api/v1/namespaces").expect(403).text("/message"))
          .isEqualTo(
              "namespaces is forbidden: User \"system:anonymous\" cannot list resource"
                  + " \"namespaces\" in API group \"\" at the cluster scope");
      server.withToken("nonsense").get("/version").expect(401);
    }
  }

  @Test
  void keeps_objects_versions_and_certificates_over_a_restart(@TempDir Path directory)
      throws Exception {
    var maps = "/api/v1/namespaces/default/configmaps";
    String version;
    AdminCredentials admin;
    try (var server = TestServer.start(directory)) {
      version =
          server
              .admin(Carrier.HTTPS)
              .post(maps, "{'metadata':{'name':'a'},'data':{'k':'1'}}")
              .expect(201)
              .version();
      admin = server.server().admin();
    }

    try (var server = TestServer.start(directory)) {
      var read = server.admin(Carrier.HTTPS).get(maps + "/a").expect(200);

      assertThat(read.version()).isEqualTo(version);
      assertThat(read.text("/data/k")).isEqualTo("1");
      assertThat(server.server().admin()).isEqualTo(admin);
    }
  }

  @Test
  void keeps_secrets_for_the_owner_only(@TempDir Path directory) throws Exception {
    try (var server = TestServer.start(directory.resolve("data"))) {
      assertThat(server.server().admin().toString()).doesNotContain("PRIVATE");
    }

    try (var files = Files.walk(directory.resolve("data"))) {
      assertThat(files)
          .allSatisfy(file ->
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                  .endsWith("------"));
    }
  }
}
