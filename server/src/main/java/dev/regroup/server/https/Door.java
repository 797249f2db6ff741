package dev.regroup.server.https;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Keeps connections few enough. Everybody comes from the loopback address, pods through a relay, so
 * an address tells nobody apart; a certificate or a token does. Who has shown one is known and may
 * have many connections. All others are strangers, also while their handshake goes on: when there
 * are too many, the oldest one is closed, so that a newcomer gets in whatever strangers hold open.
 * A handshake that takes too long is closed too. Called by Jetty's threads.
 */
final class Door implements Connection.Listener, SslHandshakeListener {

  /**
   * How many connections there may be.
   *
   * @param strangers of those who have shown neither certificate nor token
   * @param all together
   * @param handshakeSeconds until a new connection must have agreed on its keys
   */
  record Limits(int strangers, int all, int handshakeSeconds) {

    /** 200 strangers, 20,000 in all, 10 s. */
    static final Limits STANDARD = new Limits(200, 20_000, 10);
  }

  /**
   * One connection.
   *
   * @param alarm goes off when its handshake takes too long
   */
  private record Visitor(EndPoint socket, Scheduler.Task alarm) {}

  private final Limits limits;
  private final Scheduler scheduler;
  private final Map<SSLEngine, Visitor> open = new HashMap<>();
  private final LinkedHashMap<SSLEngine, Visitor> strangers = new LinkedHashMap<>(); // of open

  Door(Limits limits, Scheduler scheduler) {
    this.limits = limits;
    this.scheduler = scheduler;
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof SslConnection tls) {
      arrived(tls.getSSLEngine(), tls.getEndPoint());
    }
  }

  @Override
  public void handshakeSucceeded(Event event) {
    agreed(event.getSSLEngine(), hasCertificate(event.getSSLEngine()));
  }

  @Override
  public void onClosed(Connection connection) {
    if (connection instanceof SslConnection tls) {
      left(tls.getSSLEngine());
    }
  }

  private void arrived(SSLEngine engine, EndPoint socket) {
    EndPoint tooMuch = null;
    synchronized (this) {
      var alarm =
          scheduler.schedule(() -> tooSlow(engine), limits.handshakeSeconds(), TimeUnit.SECONDS);
      var visitor = new Visitor(socket, alarm);
      open.put(engine, visitor);
      strangers.put(engine, visitor);
      if (strangers.size() > limits.strangers()) {
        tooMuch = strangers.pollFirstEntry().getValue().socket();
      } else if (open.size() > limits.all()) {
        tooMuch = socket;
      }
    }
    if (tooMuch != null) {
      tooMuch.close();
    }
  }

  private synchronized void agreed(SSLEngine engine, boolean known) {
    var visitor = open.get(engine);
    if (visitor != null) {
      var _ = visitor.alarm().cancel();
    }
    if (known) {
      strangers.remove(engine);
    }
  }

  /** Whoever talks on this connection has shown a token that is good. */
  static void known(Connection connection, Connector connector) {
    var door = connector.getBean(Door.class);
    if (door != null && connection.getEndPoint() instanceof SslConnection.SslEndPoint secure) {
      door.agreed(secure.getSslConnection().getSSLEngine(), true);
    }
  }

  private void tooSlow(SSLEngine engine) {
    Visitor visitor;
    synchronized (this) {
      visitor = open.get(engine);
    }
    if (visitor != null) {
      visitor.socket().close();
    }
  }

  private synchronized void left(SSLEngine engine) {
    strangers.remove(engine);
    var visitor = open.remove(engine);
    if (visitor != null) {
      var _ = visitor.alarm().cancel();
    }
  }

  private static boolean hasCertificate(SSLEngine engine) {
    try {
      return engine.getSession().getPeerCertificates().length > 0;
    } catch (SSLPeerUnverifiedException e) {
      return false;
    }
  }
}
