package dev.regroup.server;

import dev.regroup.client.Request;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens a watch on the server at the address given, says so, and holds it until it is killed. */
final class HoldWatch {
  private HoldWatch() {}

  public static void main(String[] arguments) throws Exception {
    var pki = Path.of(arguments[1]).resolve("pki");
    var admin =
        TestServer.adminOf(
            URI.create(arguments[0]),
            new AdminCredentials(
                Files.readString(pki.resolve("ca.crt")),
                Files.readString(pki.resolve("admin.crt")),
                Files.readString(pki.resolve("admin.key"))));
    try (var watch =
        admin.transport().open(Request.get("/api/v1/namespaces/default/configmaps", "watch=1"))) {
      System.out.println("watching");
      while (watch.next() != null) {
        // until it is killed
      }
    }
  }
}
