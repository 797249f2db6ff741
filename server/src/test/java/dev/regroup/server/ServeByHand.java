package dev.regroup.server;

import dev.regroup.api.Gates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * Starts a server on the directory and port given and writes an administrator's kubeconfig beside
 * its data. For looking at it with {@code kubectl} or the conformance tool; ends with the process.
 */
final class ServeByHand {
  private ServeByHand() {}

  public static void main(String[] arguments) throws Exception {
    var directory = Path.of(arguments[0]);
    int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
    var gates =
        arguments.length > 2 && arguments[2].equals("upstream")
            ? Gates.upstream()
            : Gates.product();
    long begin = System.nanoTime();
    var server =
        ApiServer.start(
            new ApiServer.Settings(directory, port, gates, InstantSource.system(), new Random()));
    long millis = (System.nanoTime() - begin) / 1_000_000;
    var kubeconfig = directory.resolve("kubeconfig");
    write(kubeconfig, kubeconfig(server));
    System.out.println(server.address() + " after " + millis + " ms, kubeconfig " + kubeconfig);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    new CountDownLatch(1).await();
  }

  static String kubeconfig(ApiServer server) {
    var admin = server.admin();
    return """
    apiVersion: v1
    kind: Config
    current-context: regroup
    clusters:
    - name: regroup
      cluster:
        server: %s
        certificate-authority-data: %s
    users:
    - name: admin
      user:
        client-certificate-data: %s
        client-key-data: %s
    contexts:
    - name: regroup
      context:
        cluster: regroup
        user: admin
    """
        .formatted(
            server.address(),
            base64(admin.caPem()),
            base64(admin.certificatePem()),
            base64(admin.keyPem()));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, text);
  }
}
