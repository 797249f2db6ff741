package dev.regroup.control;

import dev.regroup.api.Gates;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;

/**
 * An API server with all controllers and no node, for the conformance tool: arguments are a data
 * directory, a port and gates. Ends with the process.
 */
final class ClusterByHand {
  private ClusterByHand() {}

  public static void main(String[] arguments) throws Exception {
    var directory = Path.of(arguments[0]);
    int port = Integer.parseInt(arguments[1]);
    var gates =
        arguments.length > 2 && arguments[2].equals("upstream")
            ? Gates.upstream()
                .with("InPlaceRestart=true,RestartJob=true,ElasticJobSet=true")
                .gates()
            : Gates.product();
    var random = RandomGenerator.of("L64X128MixRandom");
    var server =
        ApiServer.start(
            new ApiServer.Settings(directory, port, gates, InstantSource.system(), random));
    var controllers =
        Controllers.start(
            name -> server.inProcess(Identity.controller(name)),
            new Controllers.Settings(gates, InstantSource.system(), random));
    var file = directory.resolve("kubeconfig");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, kubeconfig(server));
    System.out.println(server.address() + ", kubeconfig " + file);
    Runtime.getRuntime().addShutdownHook(new Thread(controllers::close));
    new CountDownLatch(1).await();
  }

  private static String kubeconfig(ApiServer server) {
    var admin = server.admin();
    return """
    apiVersion: v1
    kind: Config
    current-context: regroup
    clusters:
    - name: regroup
      cluster: {server: %s, certificate-authority-data: %s}
    users:
    - name: admin
      user: {client-certificate-data: %s, client-key-data: %s}
    contexts:
    - name: regroup
      context: {cluster: regroup, user: admin}
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
}
