package dev.regroup.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Gates;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.cli.local.RunDirectory;
import dev.regroup.cli.manifest.Applier;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.report.ReportText;
import dev.regroup.cli.run.PlainScreen;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.client.Request;
import dev.regroup.server.AdminCredentials;
import dev.regroup.server.ApiServer;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * The run that the build records for the AOT cache: what a user's first command does, with real
 * containers where this user may start them.
 */
@Command(name = "train-cache", hidden = true, description = "Used by the build.")
final class TrainCommand implements Callable<Integer> {

  private static final String MANIFEST =
      """
      apiVersion: jobset.x-k8s.io/v1alpha2
      kind: JobSet
      metadata: {name: train}
      spec:
        failurePolicy: {maxRestarts: 2, restartStrategy: InPlaceRestart}
        replicatedJobs:
        - name: w
          template:
            spec:
              parallelism: 2
              completions: 2
              template:
                spec:
                  terminationGracePeriodSeconds: 1
                  initContainers: [{name: i, image: none, command: [sh, -c, "true"]}]
                  containers:
                  - name: c
                    image: none
                    command: [sh, -c, 'echo up; case $JOBSET_RESTART_ATTEMPT$RANK in 00) exit 1;; 0?) sleep 60;; esac']
      """;

  @Override
  public Integer call() throws Exception {
    try (var directory = RunDirectory.make()) {
      if (LocalCluster.possible()) {
        trainCluster(directory);
      } else {
        trainServer(directory);
      }
    }
    return 0;
  }

  private static void trainCluster(RunDirectory directory) throws Exception {
    var silent = new PrintWriter(OutputStream.nullOutputStream(), true, UTF_8);
    try (var cluster =
        LocalCluster.start(new LocalCluster.Settings(directory.data(), 0, Gates.product()))) {
      try (var follower =
          new RunFollower(
              cluster.adminTransport(), new PlainScreen(silent, silent), cluster.random())) {
        var manifests =
            Manifests.read(
                List.of(Path.of("-")), new ByteArrayInputStream(MANIFEST.getBytes(UTF_8)));
        var objects = new Applier(cluster.adminTransport(), _ -> {}).create(manifests);
        follower.follow(objects, Optional.empty());
        var _ = ReportText.of(follower.report("succeeded", List.of()));
        ask(cluster.address(), cluster.admin());
      } finally {
        cluster.endEverything();
      }
    }
  }

  private static void trainServer(RunDirectory directory) throws Exception {
    try (var server =
        ApiServer.start(
            new ApiServer.Settings(
                directory.data(),
                0,
                Gates.product(),
                InstantSource.system(),
                new SecureRandom()))) {
      ask(server.address(), server.admin());
    }
  }

  /** What kubectl asks for first, over HTTPS. */
  private static void ask(URI address, AdminCredentials admin) throws Exception {
    try (var transport = admin.connect(address)) {
      for (String path : List.of("/version", "/api", "/apis", "/api/v1/namespaces/default/pods")) {
        transport.send(Request.get(path, ""));
      }
    }
  }
}
