package dev.regroup.cli.ui;

import dev.regroup.api.Gates;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.server.https.LoopbackListener;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;

/**
 * Serves the page of a cluster to whoever has its link, on the loopback address only. Owns its
 * listener and what it watches; the transport stays the caller's.
 */
public final class LivePage implements AutoCloseable {

  private static final int LARGEST_BODY = 16 * 1024; // a token, or a wish with its reason

  /**
   * What is shown and where.
   *
   * @param port of 127.0.0.1; 0 for any free one
   * @param where which JobSets
   * @param gates of the cluster, for what happens on an exit
   */
  public record Settings(int port, ListQuery where, Gates gates) {}

  private final WatchedCluster cluster;
  private final LoopbackListener listener;
  private final PageDoor door;

  private LivePage(WatchedCluster cluster, LoopbackListener listener, PageDoor door) {
    this.cluster = cluster;
    this.listener = listener;
    this.door = door;
  }

  /** Opens the port; the page is there when this returns. */
  public static LivePage start(Transport transport, Settings settings) throws IOException {
    var random = new SecureRandom();
    var door = new PageDoor(random);
    var cluster = new WatchedCluster(transport, settings.where(), random);
    var requests = new PageRequests(transport, cluster, settings.gates(), InstantSource.system());
    var listener =
        LoopbackListener.start(settings.port(), LARGEST_BODY, new PageExchange(door, requests));
    door.openedAt(listener.port());
    return new LivePage(cluster, listener, door);
  }

  /** Lets in whoever opens it. A secret: for the user's screen, never for a log. */
  public String link() {
    return "http://127.0.0.1:%d%s#%s".formatted(listener.port(), PageFiles.PAGE, door.token());
  }

  @Override
  public void close() {
    listener.close();
    cluster.close();
  }
}
