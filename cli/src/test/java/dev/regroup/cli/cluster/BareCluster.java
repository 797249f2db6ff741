package dev.regroup.cli.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.cli.deploy.InstallSettings;
import dev.regroup.cli.deploy.Installer;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.client.https.PemTls;
import dev.regroup.client.lease.LeaderLease;
import dev.regroup.control.Controllers;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.https.ListenerSettings.TlsLimits;
import dev.regroup.server.https.Pki;
import dev.regroup.server.resource.JobSets;
import dev.regroup.testing.FreePort;
import dev.regroup.testing.MadeOnce;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes that knows no JobSets: our own server with everything but JobSet, over HTTPS, with
 * its rights, webhooks and policies, and the Job controller. There is no node: tests play nodes and
 * pods.
 */
final class BareCluster implements AutoCloseable {

  static final Duration LIMIT = Duration.ofSeconds(60);
  static final String NAMESPACE = "regroup-system";

  private static final MadeOnce PKI =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  private final ApiServer server;
  private final Controllers controllers;
  private final Transport admin;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<String> refusals = new CopyOnWriteArrayList<>();
  final int webhookPort = FreePort.next();
  final int metricsPort = FreePort.next();

  BareCluster(Path directory) throws Exception {
    this(directory, Gates.product());
  }

  BareCluster(Path directory, Gates gates) throws Exception {
    var random = new Random(1);
    PKI.at(directory.resolve("pki"));
    server =
        ApiServer.open(
            new ApiServer.Settings(directory, 0, gates, InstantSource.system(), random)
                .with(JobSets.LEFT_OUT));
    controllers =
        Controllers.start(
            name -> server.inProcess(Identity.controller(name)),
            new Controllers.Settings(gates, InstantSource.system(), random),
            EnumSet.complementOf(
                EnumSet.of(
                    Controllers.Part.JOB_SETS,
                    Controllers.Part.NODES,
                    Controllers.Part.LOST_PODS)));
    server.listen();
    var credentials = server.admin();
    var https =
        new HttpsTransport(
            server.address(),
            PemTls.context(credentials.caPem(), credentials.certificatePem(), credentials.keyPem()),
            Optional::empty);
    opened.add(https);
    admin = https;
  }

  Transport admin() {
    return admin;
  }

  /** What a controller was not let do. */
  List<String> refusals() {
    return refusals;
  }

  /** The objects of an installation whose controller runs outside. */
  List<String> install(String... values) throws Exception {
    var chosen = Wire.object().put("webhookUrl", "https://127.0.0.1:" + webhookPort);
    for (int i = 0; i < values.length; i += 2) {
      chosen.put(values[i], values[i + 1]);
    }
    return install(chosen);
  }

  List<String> install(ObjectNode values) throws Exception {
    var said = new ArrayList<String>();
    new Installer(admin, new InstallSettings(NAMESPACE, values, LIMIT), said::add, said::add)
        .install();
    return said;
  }

  /**
   * How a controller runs against it that makes accounts and certificates itself.
   *
   * @param certificates where they come from
   */
  record Chosen(
      ControllerSettings.Accounts accounts,
      ControllerSettings.Certificates certificates,
      NodeLossSettings nodeLoss,
      TlsLimits tls,
      ControllerSettings.Manage manage) {

    Chosen with(ControllerSettings.Accounts others) {
      return new Chosen(others, certificates, nodeLoss, tls, manage);
    }

    Chosen with(NodeLossSettings other) {
      return new Chosen(accounts, certificates, other, tls, manage);
    }

    Chosen with(TlsLimits other) {
      return new Chosen(accounts, certificates, nodeLoss, other, manage);
    }

    Chosen with(ControllerSettings.Manage other) {
      return new Chosen(accounts, certificates, nodeLoss, tls, other);
    }

    Chosen with(Optional<Path> directory, ControllerSettings.Lives lives) {
      return new Chosen(
          accounts,
          new ControllerSettings.Certificates(
              directory, certificates.secret(), certificates.names(), lives),
          nodeLoss,
          tls,
          manage);
    }
  }

  Chosen settings() {
    return new Chosen(
        ControllerSettings.Accounts.CONTROLLER,
        new ControllerSettings.Certificates(
            Optional.empty(),
            "regroup-webhook-server-cert",
            Set.of("127.0.0.1"),
            ControllerSettings.Lives.STANDARD),
        NodeLossSettings.DEFAULT,
        TlsLimits.NONE,
        ControllerSettings.Manage.AUTO);
  }

  /** A controller with its role's rights, whose webhooks are called. */
  ClusterController controller(Chosen chosen) throws Exception {
    var loopback = InetAddress.ofLiteral("127.0.0.1");
    var controller =
        ClusterController.start(
            new ControllerSettings(
                NAMESPACE,
                Gates.product(),
                chosen.manage(),
                new InetSocketAddress(loopback, webhookPort),
                Optional.of(new InetSocketAddress(loopback, metricsPort)),
                Optional.of(new InetSocketAddress(loopback, 0)),
                new ControllerSettings.Election(
                    Optional.of(LeaderLease.Times.STANDARD), NAMESPACE, "regroup-controller", "me"),
                chosen.certificates(),
                new ControllerSettings.Agents(
                    AgentSettings.IMAGE, Optional.empty(), chosen.accounts()),
                chosen.nodeLoss(),
                new ControllerSettings.Rate(500, 500),
                chosen.tls()),
            as(NAMESPACE, "regroup-controller"));
    for (var kind : List.of("mutating", "validating")) {
      await(configuration(kind), found -> !bundle(found).isEmpty());
    }
    return controller;
  }

  /** Whom the API server believes of the validating webhooks, as PEM. */
  String bundle() throws Exception {
    return bundle(get(configuration("validating")));
  }

  private static String bundle(JsonNode configuration) {
    var text = configuration.at("/webhooks/0/clientConfig/caBundle").asText();
    return new String(Base64.getDecoder().decode(text), UTF_8);
  }

  private static String configuration(String kind) {
    return "/apis/admissionregistration.k8s.io/v1/%swebhookconfigurations/regroup-webhooks"
        .formatted(kind);
  }

  /** The API under the rights of a service account, over HTTPS with its token. */
  Transport as(String namespace, String account) throws Exception {
    var token = token(namespace, account);
    var https =
        new HttpsTransport(
            server.address(), PemTls.context(server.admin().caPem()), () -> Optional.of(token));
    opened.add(https);
    return new Transport() {
      @Override
      public Response send(Request request) throws Unreachable, InterruptedException {
        var response = https.send(request);
        note(request, response.status());
        return response;
      }

      @Override
      public Stream open(Request request) throws Unreachable, InterruptedException {
        var stream = https.open(request);
        note(request, stream.status());
        return stream;
      }

      private void note(Request request, int status) {
        if (status == 401 || status == 403) {
          refusals.add(request.method() + " " + request.path());
        }
      }
    };
  }

  String token(String namespace, String account) throws Exception {
    var path = "/api/v1/namespaces/%s/serviceaccounts/%s/token".formatted(namespace, account);
    return post(path, "{\"spec\":{\"expirationSeconds\":3600}}").at("/status/token").asText();
  }

  JsonNode get(String path) throws Exception {
    return Wire.tree(admin.send(Request.get(path, "")).body());
  }

  JsonNode post(String path, String yaml) throws Exception {
    var response = tryPost(path, yaml);
    assertThat(response.ok()).as(new String(response.body(), UTF_8)).isTrue();
    return Wire.tree(response.body());
  }

  Response tryPost(String path, String yaml) throws Exception {
    return admin.send(posting(path, yaml));
  }

  /** Admission only: nothing is stored. */
  Response review(String path, String yaml) throws Exception {
    return admin.send(posting(path, yaml).withQuery("dryRun=All"));
  }

  private static Request posting(String path, String yaml) throws Exception {
    var tree = YamlDocuments.read(yaml.getBytes(UTF_8)).getFirst().root();
    return Request.of("POST", path, "application/json", Wire.write(tree));
  }

  JsonNode patch(String path, String merge) throws Exception {
    var request = Request.of("PATCH", path, "application/merge-patch+json", merge.getBytes(UTF_8));
    var response = admin.send(request);
    assertThat(response.ok()).as(new String(response.body(), UTF_8)).isTrue();
    return Wire.tree(response.body());
  }

  void delete(String path) throws Exception {
    var response = admin.send(Request.of("DELETE", path, "application/json", new byte[0]));
    assertThat(response.ok()).as(new String(response.body(), UTF_8)).isTrue();
  }

  /** Waits for a fact about an object or a list. */
  JsonNode await(String path, Predicate<JsonNode> fact) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    @Nullable JsonNode last = null;
    while (System.nanoTime() < end) {
      last = get(path);
      if (fact.test(last)) {
        return last;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("not within %s at %s: %s".formatted(LIMIT, path, last));
  }

  @Override
  public void close() throws Exception {
    controllers.close();
    for (var one : opened) {
      one.close();
    }
    server.close();
  }
}
