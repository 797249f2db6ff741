package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Response;
import dev.regroup.server.TestServer.Carrier;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
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

  @Test
  void long_answers_are_compressed_for_who_asks_for_it(@TempDir Path directory) throws Exception {
    var maps = "/api/v1/namespaces/default/configmaps";
    try (var server = TestServer.start(directory)) {
      var admin = server.admin(Carrier.HTTPS);
      for (var name : new String[] {"a", "b"}) {
        var data = "'data':{'k':'" + "x".repeat(100_000) + "'}";
        admin.post(maps, "{'metadata':{'name':'" + name + "'}," + data + "}").expect(201);
      }
      var plain = admin.get(maps).expect(200).response();
      assertThat(plain.headers().first("content-encoding")).isEmpty();

      for (var accepted : new String[] {"gzip", "br;q=1, gzip"}) {
        var packed = asked(admin, maps, accepted);
        assertThat(packed.headers().first("content-encoding")).hasValue("gzip");
        assertThat(packed.headers().first("vary")).hasValue("Accept-Encoding");
        assertThat(packed.headers().first("content-type")).hasValue("application/json");
        assertThat(packed.body()).hasSizeLessThan(plain.body().length / 20);
        try (var body = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
          assertThat(body.readAllBytes()).isEqualTo(plain.body());
        }
      }
      assertThat(asked(admin, maps, "gzip;q=0, br").body()).isEqualTo(plain.body());
      assertThat(asked(admin, maps + "/a", "gzip").headers().first("content-encoding"))
          .as("of a short one")
          .isEmpty();
    }
  }

  private static Response asked(Api api, String path, String accepted) throws Exception {
    return api.transport()
        .send(Api.request("GET", path, "", "").withHeader("accept-encoding", accepted));
  }
}
