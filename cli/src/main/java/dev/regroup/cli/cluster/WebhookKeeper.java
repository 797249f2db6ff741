package dev.regroup.cli.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.server.https.ServiceCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the certificate of the webhook and the API server's trust in it. Every replica runs one:
 * whoever finds no certificate in the secret, or one that expires soon, makes a new one; all show
 * what the secret holds and see to it that the webhook configurations carry its authorities. The
 * API server learns of a new authority before it meets it, and the old one stays trusted until all
 * have changed, so replicas may change one after the other and no review fails meanwhile.
 */
final class WebhookKeeper implements AutoCloseable {

  static final String CONFIGURATION = "regroup-webhooks";

  private static final Logger LOG = LoggerFactory.getLogger(WebhookKeeper.class);
  private static final String KEY = "certificates"; // there is one thing to look at
  private static final List<Resource<ObjectNode>> CONFIGURATIONS =
      List.of(Kinds.MUTATING_WEBHOOKS, Kinds.VALIDATING_WEBHOOKS);

  /** Shows a certificate to whoever connects. */
  @FunctionalInterface
  interface Showing {
    void show(ServiceCertificates certificates) throws IOException;
  }

  private final ControllerSettings.Certificates settings;
  private final ObjectKey secret;
  private final ApiClient client;
  private final InstantSource clock;
  private final Showing showing;
  private final SharedFeeds feeds;
  private final WorkQueue<String> queue;
  private volatile @Nullable ServiceCertificates shown;
  private Instant shownSince = Instant.MIN;
  private @Nullable ServiceCertificates next; // the API server is learning of it
  private Instant nextAt = Instant.MAX; // when it is shown

  WebhookKeeper(
      Transport transport,
      String namespace,
      ControllerSettings.Certificates settings,
      InstantSource clock,
      RandomGenerator random,
      Showing showing) {
    this.settings = settings;
    this.secret = new ObjectKey(namespace, settings.secret());
    this.client = new ApiClient(transport);
    this.clock = clock;
    this.showing = showing;
    this.feeds = new SharedFeeds(transport, random, Metrics.NONE);
    var loop = feeds.<String>loop("webhook-keeper", 1);
    for (var resource : CONFIGURATIONS) {
      feeds.narrow(resource, ListQuery.ALL.withFields("metadata.name=" + CONFIGURATION));
      loop.wakes(news(resource), _ -> Optional.of(KEY));
    }
    if (settings.directory().isEmpty()) {
      var own = ListQuery.in(namespace).withFields("metadata.name=" + settings.secret());
      feeds.narrow(Kinds.SECRETS, own);
      loop.wakes(news(Kinds.SECRETS), _ -> Optional.of(KEY));
    }
    this.queue = loop.run(_ -> look());
    queue.add(KEY); // also where there is nothing yet
    feeds.start();
  }

  /** Nothing of the objects is kept: a pass reads what it writes. */
  private Informer<String> news(Resource<ObjectNode> resource) {
    return feeds.informer(resource, object -> Trees.text(object, "metadata", "resourceVersion"));
  }

  /** Whether a certificate is shown. */
  boolean shows() {
    return shown != null;
  }

  @Override
  public void close() {
    queue.close();
    feeds.close();
  }

  private Outcome look() throws Exception {
    var now = clock.instant();
    var found = settings.directory().isPresent() ? read(settings.directory().get()) : keep(now);
    boolean due = !now.isBefore(showAt(found, now));
    if (due && !found.equals(shown)) {
      showing.show(found);
      shown = found;
      shownSince = now;
      LOG.info("the webhook's certificate is good until {}", found.expires());
    }
    if (!found.authorities().isEmpty()) {
      entrust(found, now);
    }
    if (!due) {
      return Outcome.tryAgain(settings.lives().trust(), "until the API server trusts it");
    }
    return settings.directory().isPresent()
        ? Outcome.tryAgain(settings.lives().reread(), "somebody else keeps the files")
        : Outcome.tryAgain(
            Duration.between(now, renewal(found)).plusSeconds(1), "until it is to be renewed");
  }

  /**
   * Whether every replica shows this certificate by now, so that nobody else need be trusted. Of
   * the secret all hear at once, and it names the authority before; files are read at times of each
   * replica's own.
   */
  private boolean shownByAll(ServiceCertificates found, Instant now) {
    var lives = settings.lives();
    return found.equals(shown)
        && (settings.directory().isEmpty()
            || !now.isBefore(shownSince.plus(lives.reread().multipliedBy(2)).plus(lives.trust())));
  }

  /** At once when there is nothing good to show meanwhile. */
  private Instant showAt(ServiceCertificates found, Instant now) throws IOException {
    var old = shown;
    var trusted = now.plus(settings.lives().trust());
    if (old == null || found.equals(old) || !trusted.isBefore(old.expires())) {
      return now;
    }
    if (!found.equals(next)) {
      next = found;
      nextAt = trusted;
    }
    return nextAt;
  }

  private static ServiceCertificates read(Path directory) throws IOException {
    var authorities = directory.resolve("ca.crt");
    return new ServiceCertificates(
        Files.exists(authorities) ? Files.readString(authorities) : "",
        Files.readString(directory.resolve("tls.crt")),
        Files.readString(directory.resolve("tls.key")));
  }

  private Instant renewal(ServiceCertificates certificates) throws IOException {
    return certificates.expires().minus(settings.lives().renewal());
  }

  /** What the secret holds, after it was made or made anew. */
  private ServiceCertificates keep(Instant now)
      throws ApiFailure, IOException, InterruptedException {
    var stored = client.get(Kinds.SECRETS, secret);
    var old = stored.map(WebhookKeeper::certificates);
    if (old.isPresent() && isGood(old.get(), now)) {
      return old.get();
    }
    var made = ServiceCertificates.make(now, settings.lives().valid(), names(false), names(true));
    if (old.isPresent() && !old.get().authorities().isEmpty()) {
      made = made.alsoTrusting(firstOf(old.get().authorities()));
    }
    var object = object(made, stored);
    var written =
        stored.isEmpty()
            ? client.create(Kinds.SECRETS, secret.namespace(), object)
            : client.update(Kinds.SECRETS, secret, object); // a conflict: another replica did it
    LOG.info("a new certificate for the webhook is in secret {}", secret);
    return certificates(written);
  }

  private boolean isGood(ServiceCertificates certificates, Instant now) {
    try {
      return now.isBefore(renewal(certificates)) && certificates.names(settings.names());
    } catch (IOException e) {
      LOG.warn("secret {} cannot be used and is made anew: {}", secret, e.getMessage());
      return false;
    }
  }

  private Set<String> names(boolean addresses) {
    return settings.names().stream()
        .filter(name -> name.matches("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:]*") == addresses)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Of a bundle only the newest: otherwise it would grow for ever. */
  private static String firstOf(String bundle) {
    String end = "-----END CERTIFICATE-----\n";
    int at = bundle.indexOf(end);
    return at < 0 ? bundle : bundle.substring(0, at + end.length());
  }

  private static ServiceCertificates certificates(ObjectNode secret) {
    return new ServiceCertificates(
        data(secret, "ca.crt"), data(secret, "tls.crt"), data(secret, "tls.key"));
  }

  private static String data(ObjectNode secret, String name) {
    return decoded(Trees.text(secret, "data", name));
  }

  private static String decoded(String base64) {
    try {
      return new String(Base64.getDecoder().decode(base64), UTF_8);
    } catch (IllegalArgumentException e) {
      return ""; // then it is made anew
    }
  }

  private ObjectNode object(ServiceCertificates made, Optional<ObjectNode> stored) {
    var object =
        stored.orElseGet(() -> {
          var fresh = Wire.object().put("apiVersion", "v1").put("kind", "Secret");
          fresh
              .putObject("metadata")
              .put("name", secret.name())
              .put("namespace", secret.namespace())
              .putObject("labels")
              .put("app.kubernetes.io/part-of", "regroup");
          return fresh.put("type", "Opaque");
        });
    var data = object.putObject("data");
    data.put("ca.crt", encoded(made.authorities()));
    data.put("tls.crt", encoded(made.certificate()));
    data.put("tls.key", encoded(made.key()));
    return object;
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  /** Webhooks that are not ours are not in these configurations. */
  private void entrust(ServiceCertificates found, Instant now)
      throws ApiFailure, IOException, InterruptedException {
    var authorities = TrustBundle.of(found.authorities());
    var old = shown;
    var needed = old == null ? authorities : authorities.and(TrustBundle.of(old.authorities()));
    boolean only = shownByAll(found, now);
    for (var resource : CONFIGURATIONS) {
      entrust(
          resource,
          trusted -> {
            if (only) {
              return authorities;
            }
            return trusted.hasAll(needed) ? trusted : needed.and(trusted);
          });
    }
  }

  private void entrust(Resource<ObjectNode> resource, UnaryOperator<TrustBundle> wanted)
      throws ApiFailure, IOException, InterruptedException {
    var key = ObjectKey.cluster(CONFIGURATION);
    var configuration = client.get(resource, key);
    if (configuration.isEmpty()) {
      return; // not installed yet; its coming wakes us
    }
    boolean changed = false;
    for (var webhook : Trees.objects(configuration.get(), "webhooks")) {
      var target = Trees.child(webhook, "clientConfig");
      var trusted = TrustBundle.of(decoded(Trees.text(target, "caBundle")));
      var bundle = wanted.apply(trusted);
      if (!bundle.equals(trusted)) {
        target.put("caBundle", encoded(bundle.pem()));
        changed = true;
      }
    }
    if (changed) {
      client.update(resource, key, configuration.get());
    }
  }
}
