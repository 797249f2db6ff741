package dev.regroup.server;

import dev.regroup.api.Gate;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Schema;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.MetricFamily;
import dev.regroup.server.discovery.OpenApi;
import dev.regroup.server.https.HttpsListener;
import dev.regroup.server.https.Pki;
import dev.regroup.server.objects.AdmissionGate;
import dev.regroup.server.objects.Bodies;
import dev.regroup.server.objects.Finalizing;
import dev.regroup.server.objects.ObjectBytes;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.objects.Patcher;
import dev.regroup.server.objects.PodActions;
import dev.regroup.server.objects.Presenter;
import dev.regroup.server.objects.Reader;
import dev.regroup.server.objects.Remover;
import dev.regroup.server.objects.ServiceAddresses;
import dev.regroup.server.objects.Watches;
import dev.regroup.server.objects.Writer;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Status;
import dev.regroup.store.DiskRefused;
import dev.regroup.store.Store;
import dev.regroup.store.StoreFailure;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The one implementation: wires store, pipeline and listener, in the order they need each other.
 */
final class LocalApiServer implements ApiServer {
  private static final int EVENTS_KEPT = 20_000;
  private static final Duration EVENT_TTL = Duration.ofHours(1);

  private static final MetricFamily SYNCS =
      MetricFamily.histogram(
          "store_sync_duration_seconds", "Time until a batch of writes is durable");

  private final Settings settings;
  private final Store store;
  private final Exchange exchange;
  private final PodStreams podStreams;
  private final FutureTask<Pki> certificates;
  private volatile @Nullable Listening listening;
  private volatile @Nullable KubernetesService advertised;

  /** What there is once the port is open. */
  private record Listening(Pki pki, HttpsListener listener) {}

  private LocalApiServer(
      Settings settings,
      Store store,
      Exchange exchange,
      PodStreams podStreams,
      FutureTask<Pki> certificates) {
    this.settings = settings;
    this.store = store;
    this.exchange = exchange;
    this.podStreams = podStreams;
    this.certificates = certificates;
  }

  static ApiServer open(Settings settings) throws IOException, StoreFailure, InterruptedException {
    var directory = settings.dataDirectory();
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    var catalog = Catalog.standard();
    var store = Store.open(directory.resolve("store"), storeSettings(settings, catalog));
    try {
      var certificates = new FutureTask<>(() -> openPki(settings)); // slow, the first time
      Thread.ofPlatform().name("certificates").daemon().start(certificates);
      var objects = new ObjectStore(store);
      var podStreams = new PodStreams(objects, settings.clock());
      var exchange =
          pipeline(settings, catalog, objects, podStreams, new Health(() -> trouble(store)));
      new SystemObjects(exchange, objects, catalog, settings.clock()).ensure();
      return new LocalApiServer(settings, store, exchange, podStreams, certificates);
    } catch (IOException | InterruptedException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  @Override
  public void listen() throws IOException, InterruptedException {
    var pki = await(certificates);
    var listener =
        HttpsListener.start(settings.port(), pki, Pipeline.BODY_LIMIT, new Entrance(exchange));
    listening = new Listening(pki, listener);
  }

  @Override
  public void advertise(Inet4Address address) throws IOException, InterruptedException {
    var service =
        new KubernetesService(
            inProcess(SystemObjects.SELF),
            address,
            listening().listener().port(),
            settings.random());
    service.start();
    advertised = service;
  }

  private static Pki openPki(Settings settings) throws IOException {
    return Pki.open(settings.dataDirectory().resolve("pki"), settings.clock());
  }

  private static Pki await(FutureTask<Pki> certificates) throws IOException, InterruptedException {
    try {
      return certificates.get();
    } catch (ExecutionException e) {
      throw new IOException("certificates cannot be made or read", e.getCause());
    }
  }

  private static dev.regroup.store.Settings storeSettings(Settings settings, Catalog catalog) {
    var events = catalog.find("", "v1", "events").orElseThrow();
    var bytes = new ObjectBytes(events.kind());
    return dev.regroup.store.Settings.STANDARD
        .withClock(settings.clock())
        .withSyncs(time -> settings.metrics().took(SYNCS, time))
        .withBounded(
            events.collection(),
            new dev.regroup.store.Settings.Bounded(
                EVENTS_KEPT, EVENT_TTL, (value, revision) -> bytes.at(revision, value)));
  }

  private static Exchange pipeline(
      Settings settings,
      Catalog catalog,
      ObjectStore objects,
      PodStreams podStreams,
      Health health) {
    var clock = settings.clock();
    var schema = Schema.of(settings.gates(), settings.gates().decoding());
    var decoder = new Decoder(schema);
    var admission = new Admission(AdmissionSettings.of(settings.gates()), settings.random());
    var presenter = new Presenter(clock);
    var gates = settings.gates();
    boolean allKnown = gates.on(Gate.EXTENDED_RULES) && gates.on(Gate.TERMINATE_POD_ON_COMPLETION);
    var ofStored = allKnown ? decoder : new Decoder(Schema.ofStored(gates.decoding()));
    var bodies = new Bodies(decoder, ofStored);
    var rules = new AdmissionGate(objects, admission, catalog);
    var services = catalog.find("", "v1", "services").orElseThrow();
    var addresses = new ServiceAddresses(objects, services, settings.random());
    var writer =
        new Writer(
            new Writer.Parts(
                objects, rules, bodies, presenter, addresses, clock, settings.random()));
    var remover = new Remover(objects, presenter, clock);
    var pods = catalog.find("", "v1", "pods").orElseThrow();
    var workers =
        new ResourceRoutes.Workers(
            new Reader(objects, presenter),
            new Watches(objects, presenter, clock, settings.random()),
            writer,
            new Patcher(writer, bodies, presenter, schema),
            remover,
            new PodActions(new PodActions.Parts(objects, writer, remover, bodies, clock), pods),
            new Finalizing(objects, writer, bodies, presenter),
            podStreams);
    var description =
        new SelfDescription(
            catalog, new OpenApi(catalog, schema), health, settings.metrics()::page);
    return new MeteredExchange(
        new Pipeline(new Authorizer(), description, new ResourceRoutes(catalog, workers)),
        settings.metrics());
  }

  private static Optional<String> trouble(Store store) {
    return store
        .trouble()
        .map(failure ->
            failure instanceof DiskRefused refused && refused.full()
                ? "the disk of the data directory is full"
                : "the disk of the data directory refuses writes");
  }

  /** A certificate names the caller; a token nobody issued is refused; neither is anonymous. */
  private record Entrance(Exchange exchange) implements HttpsListener.Front {

    @Override
    public Optional<Answer> refusal(HttpsListener.Caller caller, Request head) {
      var identity = identity(caller);
      return identity.isPresent()
          ? exchange.refusal(identity.get(), head)
          : Optional.of(unauthorized());
    }

    @Override
    public Answer answer(HttpsListener.Caller caller, Request request) throws InterruptedException {
      var identity = identity(caller);
      return identity.isPresent() ? exchange.handle(identity.get(), request) : unauthorized();
    }

    private static Optional<Identity> identity(HttpsListener.Caller caller) {
      var certificate = caller.certificate();
      if (certificate.isPresent()) {
        var groups = new ArrayList<>(certificate.get().groups());
        groups.add(Identity.AUTHENTICATED);
        return Optional.of(new Identity(certificate.get().user(), "", groups, Map.of()));
      }
      return caller.bearerToken().isPresent() ? Optional.empty() : Optional.of(Identity.ANONYMOUS);
    }

    private static Answer unauthorized() {
      return new Answer.Whole(
          new Response(
              401,
              Headers.of("content-type", "application/json"),
              Status.unauthorized().toBytes()));
    }
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

  @Override
  public Transport inProcess(Identity identity) {
    return new InProcessTransport(exchange, identity);
  }

  @Override
  public void onDiskTrouble(Runnable listener) {
    store.onTrouble(listener);
  }

  @Override
  public void connectNodes(NodeAccess nodes) {
    podStreams.connect(nodes);
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
    store.close();
  }
}
