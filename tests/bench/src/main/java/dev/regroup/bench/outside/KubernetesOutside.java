package dev.regroup.bench.outside;

import dev.regroup.client.Request;
import dev.regroup.client.Transport.Unreachable;
import dev.regroup.server.AdminCredentials;
import dev.regroup.testing.FreePort;
import dev.regroup.upstream.Authority;
import dev.regroup.upstream.Command;
import dev.regroup.upstream.Daemon;
import dev.regroup.upstream.GoPrograms;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * kube-apiserver and etcd as people run them: rights are checked, and what is written is on the
 * disk (etcd syncs). Keys are of the kind that Regroup's are, and as many streams go over one
 * connection. No controllers: nobody but the bench writes.
 */
public final class KubernetesOutside implements ServerOutside {

  private static final Duration START = Duration.ofMinutes(3);

  private final List<Daemon> daemons;
  private final OutsideClients clients;

  private KubernetesOutside(List<Daemon> daemons, OutsideClients clients) {
    this.daemons = List.copyOf(daemons);
    this.clients = clients;
  }

  /** Returns when pods can be created. */
  public static KubernetesOutside start(GoPrograms programs, Path folder)
      throws IOException, GeneralSecurityException, InterruptedException {
    var authority = new Authority(folder.resolve("pki"), Authority.KeyKind.P_256);
    authority.issue("apiserver", "CN=kube-apiserver", List.of("localhost"), List.of("127.0.0.1"));
    authority.issue("admin", "O=system:masters,CN=admin", List.of(), List.of());
    int port = FreePort.next();
    var admin =
        new AdminCredentials(
            authority.caPem(),
            Files.readString(authority.file("admin.crt")),
            Files.readString(authority.file("admin.key")));
    var clients = new OutsideClients(URI.create("https://127.0.0.1:" + port), admin);
    var etcd = "http://127.0.0.1:" + FreePort.next();
    var server =
        new KubernetesOutside(
            List.of(
                new Daemon("etcd", folder, etcd(programs, folder, etcd)),
                new Daemon("kube-apiserver", folder, apiServer(programs, authority, etcd, port))),
            clients);
    try {
      for (var daemon : server.daemons) {
        daemon.start();
      }
      server.awaitReady();
      return server;
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      for (var daemon : server.daemons) {
        System.err.println(daemon.lastWords());
      }
      server.close();
      throw e;
    }
  }

  private static List<String> etcd(GoPrograms programs, Path folder, String address) {
    var peers = "http://127.0.0.1:" + FreePort.next();
    return List.of(
        programs.program("etcd").toString(),
        "--data-dir=" + folder.resolve("etcd"),
        "--listen-client-urls=" + address,
        "--advertise-client-urls=" + address,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=default=" + peers);
  }

  private static List<String> apiServer(
      GoPrograms programs, Authority authority, String etcd, int port) {
    var words = new ArrayList<>(List.of(programs.program("kube-apiserver").toString()));
    words.addAll(
        List.of(
            "--etcd-servers=" + etcd,
            "--bind-address=127.0.0.1",
            "--secure-port=" + port,
            "--advertise-address=10.88.79.1", // loopback is refused; nobody goes there
            "--endpoint-reconciler-type=none",
            "--service-cluster-ip-range=10.88.79.0/24",
            "--tls-cert-file=" + authority.file("apiserver.crt"),
            "--tls-private-key-file=" + authority.file("apiserver.key"),
            "--client-ca-file=" + authority.file("ca.crt"),
            "--service-account-key-file=" + authority.file("service-accounts.pub"),
            "--service-account-signing-key-file=" + authority.file("service-accounts.key"),
            "--service-account-issuer=https://kubernetes.default.svc",
            "--authorization-mode=Node,RBAC",
            "--http2-max-streams-per-connection=1000")); // as Regroup's
    return words;
  }

  private void awaitReady() throws IOException, InterruptedException {
    var transport = clients.connect();
    Command.await(
        "kube-apiserver",
        START,
        () -> {
          if (!daemons.stream().allMatch(Daemon::isAlive)) {
            throw new IllegalStateException("a program of Kubernetes has ended");
          }
          try {
            return transport.send(Request.get("/readyz", "")).ok();
          } catch (Unreachable e) {
            return false;
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
          }
        });
    OutsideClients.ensureAccount(transport, "default");
  }

  @Override
  public OutsideClients clients() {
    return clients;
  }

  @Override
  public Duration cpu() {
    var all = Duration.ZERO;
    for (var daemon : daemons) {
      all =
          all.plus(
              ProcessHandle.of(daemon.pid()).orElseThrow().info().totalCpuDuration().orElseThrow());
    }
    return all;
  }

  @Override
  public double megabytes() throws IOException {
    double all = 0;
    for (var daemon : daemons) {
      all += ServerOutside.megabytes(daemon.pid());
    }
    return all;
  }

  @Override
  public void close() {
    clients.close();
    try {
      for (var daemon : daemons.reversed()) {
        daemon.stop();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
