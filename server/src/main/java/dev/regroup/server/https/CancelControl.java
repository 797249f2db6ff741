package dev.regroup.server.https;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.io.ssl.SslConnection;

/**
 * Tells ordinary cancels of HTTP/2 streams from a flood. To end a watch a client can only reset its
 * stream, and a client of hundreds of watches resets hundreds at once: so every stream that began
 * to answer may be reset once, at any rate. Go's client sends a ping along with resets, and updates
 * the window of streams that have just ended, so many of both are no flood either. Resets of what
 * was never answered are counted, and so is everything else Jetty counts (settings, empty frames,
 * continuations, priorities): with too many of them in a second the connection is closed. Any
 * thread.
 */
final class CancelControl implements RateControl.Factory, Connection.Listener {

  /** The client's own frame, and Jetty's when it gives up the stream: both are counted. */
  private static final int EVENTS_PER_RESET = 2;

  private static final int UNANSWERED_PER_SECOND = 500 * EVENTS_PER_RESET;
  private static final int CHEAP_PER_SECOND = 2_000;
  private static final int OTHERS_PER_SECOND = 128;

  /** Of one connection. */
  private static final class Allowance implements RateControl {
    private final AtomicInteger mayCancel = new AtomicInteger();
    private final RateControl unanswered = perSecond(UNANSWERED_PER_SECOND);
    private final RateControl cheap = perSecond(CHEAP_PER_SECOND);
    private final RateControl others = perSecond(OTHERS_PER_SECOND);

    @Override
    public boolean onEvent(Object event) {
      return switch (event) {
        case ResetFrame _ -> takeOne() || unanswered.onEvent(event);
        case PingFrame _, WindowUpdateFrame _ -> cheap.onEvent(event);
        default -> others.onEvent(event);
      };
    }

    private boolean takeOne() {
      return mayCancel.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private static RateControl perSecond(int events) {
      return new WindowRateControl(events, Duration.ofSeconds(1));
    }
  }

  private final int most;
  private final Map<EndPoint, Allowance> allowances = new ConcurrentHashMap<>();

  /**
   * @param streams how many streams a connection may have at a time
   */
  CancelControl(int streams) {
    this.most = 2 * streams * EVENTS_PER_RESET; // a stream that has just ended may be reset too
  }

  @Override
  public RateControl newRateControl(EndPoint endPoint) {
    return allowances.computeIfAbsent(endPoint, _ -> new Allowance());
  }

  /** A stream on this connection begins to answer and goes on for long. */
  void answering(EndPoint endPoint) {
    var allowance = allowances.get(endPoint);
    if (allowance != null) {
      allowance.mayCancel.updateAndGet(left -> Math.min(most, left + EVENTS_PER_RESET));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    if (connection instanceof SslConnection tls) { // those inside change while it is open
      allowances.remove(tls.getSslEndPoint());
    }
  }
}
