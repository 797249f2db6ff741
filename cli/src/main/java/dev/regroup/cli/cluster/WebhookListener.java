package dev.regroup.cli.cluster;

import dev.regroup.server.https.HttpsListener;
import dev.regroup.server.https.ListenerSettings;
import dev.regroup.server.https.ServiceCertificates;
import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ports that need a certificate: the webhook's and that of the figures. They open when there is
 * one, and show another when it is renewed.
 */
final class WebhookListener implements WebhookKeeper.Showing, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookListener.class);
  private static final int LARGEST_REVIEW = 8 * 1024 * 1024; // two objects, and what is around

  private final ControllerSettings settings;
  private @Nullable Exchange reviews; // guarded by this
  private Optional<? extends Exchange> figures = Optional.empty(); // guarded by this
  private @Nullable HttpsListener webhook; // guarded by this
  private @Nullable HttpsListener metrics; // guarded by this
  private boolean closed; // guarded by this

  WebhookListener(ControllerSettings settings) {
    this.settings = settings;
  }

  /** What answers; nothing listens before there is a certificate. */
  synchronized void serve(Exchange forReviews, Optional<? extends Exchange> forFigures) {
    this.reviews = forReviews;
    this.figures = forFigures;
  }

  @Override
  public synchronized void show(ServiceCertificates certificates) throws IOException {
    if (closed || reviews == null) {
      return;
    }
    if (webhook != null) {
      webhook.show(certificates.serving());
      if (metrics != null) {
        metrics.show(certificates.serving());
      }
      return;
    }
    webhook = open(settings.webhook(), certificates, reviews);
    LOG.info("the webhook listens on port {}", webhook.port());
    if (figures.isPresent() && settings.metrics().isPresent()) {
      metrics = open(settings.metrics().get(), certificates, figures.get());
      LOG.info("figures on port {}", metrics.port());
    }
  }

  private HttpsListener open(
      InetSocketAddress address, ServiceCertificates certificates, Exchange exchange)
      throws IOException {
    var serving = certificates.serving();
    var place = new ListenerSettings.Place(address, List.of(serving));
    return HttpsListener.start(
        new ListenerSettings(List.of(place), serving.chain().getLast(), LARGEST_REVIEW)
            .with(settings.tls()),
        exchange);
  }

  synchronized boolean listening() {
    return webhook != null;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (webhook != null) {
      webhook.close();
    }
    if (metrics != null) {
      metrics.close();
    }
  }
}
