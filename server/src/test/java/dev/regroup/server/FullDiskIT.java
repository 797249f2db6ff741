package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real disk that really is full: a server on a small tmpfs of its own, in a mount namespace that
 * goes with the process.
 */
class FullDiskIT {

  private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int MOST = 2_000;

  @TempDir Path directory;
  private Process server;
  private Api admin;
  private Path inside;

  @BeforeEach
  void start() throws Exception {
    boolean root = "root".equals(System.getProperty("user.name"));
    Assumptions.assumeTrue(root, "mounting a small disk needs root");
    server =
        new ProcessBuilder(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=16m tmpfs \"$0\" && exec \"$@\"",
                directory.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ServeByHand.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    var line = server.inputReader().readLine();
    assertThat(line).startsWith("https://");
    inside = Path.of("/proc/" + server.pid() + "/root" + directory.toRealPath());
    var pki = inside.resolve("pki");
    admin =
        TestServer.adminOf(
            URI.create(line.substring(0, line.indexOf(' '))),
            new AdminCredentials(
                Files.readString(pki.resolve("ca.crt")),
                Files.readString(pki.resolve("admin.crt")),
                Files.readString(pki.resolve("admin.key"))));
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (server != null) {
      server.destroyForcibly();
      assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_full_disk_is_named_deletes_work_and_writes_go_on_when_there_is_room() throws Exception {
    admin.post(CONFIG_MAPS, map("first", "'finalizers': ['example.com/wait'],")).expect(201);
    var ballast = fillDisk();
    int written = 0;
    var got = admin.post(CONFIG_MAPS, map("m0", ""));
    while (got.status() == 201 && written < MOST) {
      got = admin.post(CONFIG_MAPS, map("m" + ++written, ""));
    }

    got.expect(503);
    assertThat(got.text("/reason")).isEqualTo("ServiceUnavailable");
    assertThat(got.text("/message"))
        .contains(directory.toString(), "the disk is full", "free some space");
    assertThat(got.response().headers().first("retry-after")).hasValue("1");
    var ready = admin.get("/readyz").expect(500).body().asText();
    assertThat(ready).contains("[-]disk failed: the disk of the data directory is full");
    assertThat(ready).doesNotContain(directory.toString());
    admin.get("/livez").expect(200);

    admin.get(CONFIG_MAPS + "/first").expect(200);
    for (int i = 0; i < written; i++) {
      admin.delete(CONFIG_MAPS + "/m" + i).expect(200);
    }
    admin.delete(CONFIG_MAPS + "/first").expect(200); // marks it
    admin.merge(CONFIG_MAPS + "/first", "{'metadata': {'finalizers': null}}").expect(200);
    admin.get(CONFIG_MAPS + "/first").expect(404);
    admin.post(CONFIG_MAPS, map("late", "")).expect(503);

    Files.delete(ballast);

    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (admin.post(CONFIG_MAPS, map("late", "")).status() == 503) {
      assertThat(System.nanoTime()).as("writes go on").isLessThan(deadline);
      Thread.sleep(20); // the server tries its disk once a second
    }
    admin.get(CONFIG_MAPS + "/late").expect(200);
    assertThat(admin.get("/readyz").expect(200).body().asText()).isEqualTo("ok");
  }

  private Path fillDisk() throws IOException {
    var file = inside.resolve("ballast");
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 64; i++) {
        out.write(new byte[1 << 20]);
      }
    } catch (IOException e) {
      return file; // no space left on device
    }
    throw new AssertionError("the disk is not small");
  }

  private static String map(String name, String metadata) {
    return "{'metadata': {%s 'name': '%s'}, 'data': {'x': '%s'}}"
        .formatted(metadata, name, "x".repeat(5_000));
  }
}
