package dev.regroup.server;

import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.TokenVolumes;
import dev.regroup.api.schema.Schema;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.MetricFamily;
import dev.regroup.server.access.Authenticator;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.access.Superusers;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.crd.CustomKinds;
import dev.regroup.server.https.HttpsListener;
import dev.regroup.server.https.ListenerSettings;
import dev.regroup.server.https.LoopbackListener;
import dev.regroup.server.https.Pki;
import dev.regroup.server.nodes.NodeAuthorizer;
import dev.regroup.server.nodes.NodeGraph;
import dev.regroup.server.nodes.NodeRestriction;
import dev.regroup.server.objects.ObjectBytes;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.policy.PolicyLink;
import dev.regroup.server.quota.QuotaLink;
import dev.regroup.server.rbac.DefaultRoles;
import dev.regroup.server.rbac.Escalation;
import dev.regroup.server.rbac.RbacAuthorizer;
import dev.regroup.server.rbac.StoredRoles;
import dev.regroup.server.read.Reader;
import dev.regroup.server.read.Watches;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.JobSets;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.ServedKinds;
import dev.regroup.server.review.AccessReview;
import dev.regroup.server.review.Reviews;
import dev.regroup.server.review.TokenReview;
import dev.regroup.server.token.BoundTokens;
import dev.regroup.server.token.IssuerDocuments;
import dev.regroup.server.token.KeyDirectory;
import dev.regroup.server.token.TokenKeys;
import dev.regroup.server.token.TokenRequests;
import dev.regroup.server.webhook.WebhookLinks;
import dev.regroup.server.wire.Exchange;
import dev.regroup.server.write.AdmissionGate;
import dev.regroup.server.write.CreateRight;
import dev.regroup.server.write.FieldManagement;
import dev.regroup.server.write.Finalizing;
import dev.regroup.server.write.Patcher;
import dev.regroup.server.write.PodActions;
import dev.regroup.server.write.Remover;
import dev.regroup.server.write.Scaling;
import dev.regroup.server.write.ServiceAddresses;
import dev.regroup.server.write.WriteGuard;
import dev.regroup.server.write.Writer;
import dev.regroup.store.DiskRefused;
import dev.regroup.store.Store;
import dev.regroup.store.StoreFailure;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one implementation: wires store, pipeline and listener, in the order they need each other.
 */
final class LocalApiServer implements ApiServer {
  private static final int EVENTS_KEPT = 20_000;
  private static final Logger LOG = LoggerFactory.getLogger(LocalApiServer.class);
  private static final Duration EVENT_TTL = Duration.ofHours(1);

  private static final MetricFamily SYNCS =
      MetricFamily.histogram(
          "store_sync_duration_seconds", "Time until a batch of writes is durable");

  private final Inside inside;
  private final Beginnings beginnings;
  private volatile @Nullable Listening listening;
  private volatile @Nullable KubernetesService advertised;
  private volatile @Nullable LoopbackListener atSocket;

  /** What there is from the beginning. */
  private record Inside(
      Settings settings,
      Store store,
      ServedKinds kinds,
      CustomKinds customKinds,
      Wired wired,
      PodStreams podStreams) {

    Exchange exchange() {
      return wired.exchange();
    }
  }

  /** The way of every request, what ends with it, and who deletes for the server itself. */
  private record Wired(
      Exchange exchange, Remover remover, WebhookLinks webhooks, FutureTask<Boolean> policies) {}

  /** What is being made beside the first requests. */
  private record Beginnings(
      FutureTask<Pki> certificates, FutureTask<Boolean> roles, KeyDirectory keys) {}

  /** What there is once the port is open. */
  private record Listening(Pki pki, HttpsListener listener) {}

  private LocalApiServer(Inside inside, Beginnings beginnings) {
    this.inside = inside;
    this.beginnings = beginnings;
  }

  private static <T> FutureTask<T> begun(String name, Callable<T> work) {
    var task = new FutureTask<>(work);
    Thread.ofPlatform().name(name).daemon().start(task);
    return task;
  }

  static LocalApiServer open(Settings settings)
      throws IOException, StoreFailure, InterruptedException {
    var directory = settings.dataDirectory();
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    var kinds = new ServedKinds(kinds(settings));
    var store = Store.open(directory.resolve("store"), storeSettings(settings, kinds.now()));
    try {
      var certificates = begun("certificates", () -> openPki(settings)); // slow, the first time
      var objects = new ObjectStore(store);
      var podStreams = new PodStreams(objects, settings.clock());
      var keys = new KeyDirectory(directory.resolve("pki").resolve("tokens"));
      var wired =
          pipeline(settings, kinds, objects, podStreams, new Health(() -> trouble(store)), keys);
      var defaultRoles =
          new DefaultRoles(objects, kinds.now().catalog(), settings.clock(), settings.random());
      var roles = begun("default-roles", defaultRoles::ensure);
      new SystemObjects(wired.exchange(), objects, kinds.now().catalog(), settings.clock())
          .ensure();
      var customKinds = new CustomKinds(objects, kinds, wired.remover(), settings.clock());
      customKinds.open();
      return new LocalApiServer(
          new Inside(settings, store, kinds, customKinds, wired, podStreams),
          new Beginnings(certificates, roles, keys));
    } catch (IOException | InterruptedException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  @Override
  public void listen() throws IOException, InterruptedException {
    var pki = await(beginnings.certificates(), "certificates cannot be made or read");
    await(beginnings.roles(), "default roles cannot be made");
    new AuthorityMap(inProcess(SystemObjects.SELF)).ensure(pki.caPem());
    var loopback =
        new ListenerSettings.Place(
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), inside.settings().port()),
            List.of(pki.server()));
    var listener =
        HttpsListener.start(
            new ListenerSettings(List.of(loopback), pki.authority(), Pipeline.BODY_LIMIT),
            inside.exchange());
    listening = new Listening(pki, listener);
    beginnings.keys().getAhead();
  }

  @Override
  public void listenAt(Path socket) throws IOException {
    atSocket = LoopbackListener.at(socket, Pipeline.BODY_LIMIT, inside.exchange());
  }

  @Override
  public void advertise(Inet4Address address) throws IOException, InterruptedException {
    var service =
        new KubernetesService(
            inProcess(SystemObjects.SELF),
            address,
            listening().listener().port(),
            inside.settings().random());
    service.start();
    advertised = service;
  }

  private static Pki openPki(Settings settings) throws IOException {
    return Pki.open(settings.dataDirectory().resolve("pki"), settings.clock());
  }

  private static <T> T await(FutureTask<T> task, String problem)
      throws IOException, InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new IOException(problem, e.getCause());
    }
  }

  private static dev.regroup.store.Settings storeSettings(Settings settings, KindSet kinds) {
    var events = kinds.core("events");
    var bytes = new ObjectBytes(events.kind());
    return dev.regroup.store.Settings.STANDARD
        .withClock(settings.clock())
        .withSyncs(time -> settings.metrics().took(SYNCS, time))
        .withBounded(
            events.collection(),
            new dev.regroup.store.Settings.Bounded(
                EVENTS_KEPT, EVENT_TTL, (value, revision) -> bytes.at(revision, value)));
  }

  private static KindSet kinds(Settings settings) {
    var all = allKinds(settings.gates(), settings.jobSets());
    if (settings.jobSets() == JobSets.BUILT_IN) {
      return all;
    }
    var others =
        all.schema().names().stream()
            .filter(name -> name.startsWith("io.x-k8s.jobset."))
            .collect(Collectors.toSet());
    var schema = all.schema().without(others);
    return new KindSet(
        all.catalog(),
        schema,
        all.ofStored() == all.schema() ? schema : all.ofStored().without(others));
  }

  private static KindSet allKinds(Gates gates, JobSets jobSets) {
    var schema = Schema.of(gates, gates.decoding());
    boolean allKnown = gates.on(Gate.EXTENDED_RULES) && gates.on(Gate.TERMINATE_POD_ON_COMPLETION);
    return new KindSet(
        Catalog.standard(jobSets), schema, allKnown ? schema : Schema.ofStored(gates.decoding()));
  }

  private static Wired pipeline(
      Settings settings,
      ServedKinds kinds,
      ObjectStore objects,
      PodStreams podStreams,
      Health health,
      Supplier<TokenKeys> keys) {
    var clock = settings.clock();
    var admission =
        new Admission(
            new AdmissionSettings(
                    settings.gates(), settings.gates().decoding(), TokenVolumes.MOUNTED)
                .with(
                    settings.jobSets() == JobSets.BUILT_IN
                        ? AdmissionSettings.Placement.HERE
                        : AdmissionSettings.Placement.ELSEWHERE),
            kinds.now().schema(),
            settings.random());
    var presenter = new Presenter(clock);
    var roles = new StoredRoles(objects, kinds.now().catalog());
    var authorizer =
        Authorizer.union(
            List.of(
                new Superusers(),
                new NodeAuthorizer(new NodeGraph(objects, kinds.now().core("pods"))),
                new RbacAuthorizer(roles)));
    var tokens = new BoundTokens(keys, objects, kinds.now(), clock);
    var policies = new PolicyLink(objects, kinds, authorizer, System::nanoTime);
    var webhooks =
        new WebhookLinks(
            new WebhookLinks.Parts(
                objects,
                kinds,
                authorizer,
                admission::filled,
                settings.random(),
                System::nanoTime));
    var quotas = new QuotaLink(objects, kinds.now().core("resourcequotas"));
    var rules =
        new AdmissionGate(
            objects,
            admission.with(
                List.of(webhooks.mutating()), List.of(policies, webhooks.validating(), quotas)),
            WriteGuard.all(
                List.of(
                    new NodeRestriction(objects, kinds.now().core("nodes")),
                    new Escalation(authorizer, roles))));
    var addresses = new ServiceAddresses(objects, kinds.now().core("services"), settings.random());
    var fields = new FieldManagement(FieldManagement.Tracking.ALL, admission::filled, clock);
    var writer =
        new Writer(
            new Writer.Parts(
                objects,
                rules,
                presenter,
                addresses,
                fields,
                new CreateRight(authorizer),
                clock,
                settings.random()));
    var reader = new Reader(objects, presenter);
    var remover = new Remover(objects, rules, reader, presenter, clock);
    var pods = kinds.now().core("pods");
    var patcher = new Patcher(writer, fields, presenter);
    var workers =
        new ResourceRoutes.Workers(
            reader,
            new Watches(objects, presenter, kinds, clock, settings.random()),
            writer,
            patcher,
            remover,
            rules,
            new PodActions(new PodActions.Parts(objects, rules, writer, remover, clock), pods),
            new Finalizing(objects, writer, presenter),
            new Scaling(objects, writer, patcher),
            podStreams,
            new PodTalks(podStreams),
            new Proxies(podStreams, objects),
            new Reviews(
                new AccessReview(authorizer), new TokenReview(tokens), roles, presenter, clock),
            new TokenRequests(keys, objects, presenter, clock, settings.random()));
    var pipeline =
        new Pipeline(
            new Access(Authenticator.standard(tokens), authorizer),
            kinds,
            new SelfDescription(health, settings.metrics()::page, new IssuerDocuments(keys)),
            new ResourceRoutes(workers));
    return new Wired(
        new MeteredExchange(pipeline, settings.metrics()),
        remover,
        webhooks,
        begun("policies", policies::getAhead));
  }

  private static Optional<String> trouble(Store store) {
    return store
        .trouble()
        .map(failure ->
            failure instanceof DiskRefused refused && refused.full()
                ? "the disk of the data directory is full"
                : "the disk of the data directory refuses writes");
  }

  @Override
  public URI address() {
    return URI.create("https://127.0.0.1:" + listening().listener().port());
  }

  @Override
  public AdminCredentials admin() {
    var pki = listening().pki();
    return new AdminCredentials(pki.caPem(), pki.adminCertificatePem(), pki.adminKeyPem());
  }

  private Listening listening() {
    var now = listening;
    if (now == null) {
      throw new IllegalStateException("the server does not listen");
    }
    return now;
  }

  /** The kinds it serves, to add to. */
  ServedKinds kinds() {
    return inside.kinds();
  }

  @Override
  public Transport inProcess(Identity identity) {
    return new InProcessTransport(inside.exchange(), identity);
  }

  @Override
  public void onDiskTrouble(Runnable listener) {
    inside.store().onTrouble(listener);
  }

  @Override
  public void connectNodes(NodeAccess nodes) {
    inside.podStreams().connect(nodes);
  }

  @Override
  public void close() {
    var service = advertised;
    if (service != null) {
      service.close();
    }
    var now = listening;
    if (now != null) {
      now.listener().close();
    }
    var socket = atSocket;
    if (socket != null) {
      socket.close();
    }
    inside.customKinds().close();
    inside.wired().webhooks().close();
    settle(inside.wired().policies());
    settle(beginnings.certificates()); // they are written into the directory, which may go next
    settle(beginnings.roles());
    try {
      beginnings.keys().close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    inside.store().close();
  }

  /** Waits until it is made or cannot be. */
  private static void settle(FutureTask<?> beginning) {
    try {
      var _ = await(beginning, "was not made");
    } catch (IOException e) {
      LOG.debug("closed without all that was begun", e); // nobody needs it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
