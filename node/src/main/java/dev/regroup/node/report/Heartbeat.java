package dev.regroup.node.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.node.LeaseText;
import dev.regroup.api.node.NodeReader;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.rules.node.NodeHealth.Said;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the Node object and its Lease alive: registers the node, renews the lease every 10 s and
 * the status every 5 min. With each renewal it looks at its Node object: when somebody deleted it,
 * or said that the node is not ready, the node says otherwise at once. One virtual thread; {@link
 * #start} does the first beat itself.
 *
 * <p>The lease is also how the node feels the disk below the API: when its renewal finds no room,
 * the status says {@code DiskPressure}, and the next renewal that succeeds ends it. The server
 * keeps room for this one status.
 */
public final class Heartbeat {

  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final String LEASE_NAMESPACE = "kube-node-lease";

  /** How often leases are renewed, unless something else is set: 10 s. */
  public static final Duration RENEW = Duration.ofSeconds(10);

  private static final int LEASE_RENEWALS = 4; // a lease outlasts so many
  private static final Duration STATUS = Duration.ofMinutes(5);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final int UNAVAILABLE = 503;

  private final ApiClient api;
  private final NodeObject node;
  private final InstantSource clock;
  private final Duration renewal;
  private final Semaphore pokes = new Semaphore(0);
  private final Thread thread;
  private Instant since; // when it became ready
  private NodeObject.DiskState disk;
  private Instant statusDue;
  private String refusal = "";

  public Heartbeat(ApiClient api, NodeObject node, InstantSource clock, Duration renewal) {
    this.renewal = renewal;
    this.api = api;
    this.node = node;
    this.clock = clock;
    this.since = clock.instant();
    this.statusDue = since;
    this.disk = new NodeObject.DiskState("", since);
    this.thread = Thread.ofVirtual().name("heartbeat").unstarted(this::run);
  }

  /** Tries once to register, then goes on in the background; returns whether it worked. */
  public boolean start() throws InterruptedException {
    boolean registered = false;
    try {
      registered = register() && renew();
    } catch (Transport.Unreachable e) {
      LOG.info("node {} is not registered yet: {}", node.name(), e.getMessage());
    }
    thread.start();
    return registered;
  }

  /** Ends the thread and waits for it. */
  public void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  /** Beats now. Any thread. */
  public void poke() {
    pokes.release();
  }

  private void run() {
    try {
      while (true) {
        pokes.drainPermits();
        boolean fine = false;
        try {
          fine = beat();
        } catch (Transport.Unreachable e) {
          LOG.debug("heartbeat lost: {}", e.getMessage());
        } catch (RuntimeException e) { // the node is alive as long as it tries
          LOG.error("heartbeat failed", e);
        }
        var _ = pokes.tryAcquire((fine ? renewal : RETRY).toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop() was called
    }
  }

  private boolean beat() throws Transport.Unreachable, InterruptedException {
    boolean renewed = renew();
    if (renewed) {
      lookAtMyself();
    }
    if (!clock.instant().isBefore(statusDue) && (renewed || disk.pressed())) {
      if (!register()) {
        return false;
      }
      statusDue = clock.instant().plus(STATUS);
    }
    if (renewed) {
      refusal = "";
    }
    return renewed;
  }

  /** Somebody may have taken this node for lost, or forgotten it. */
  private void lookAtMyself() throws Transport.Unreachable, InterruptedException {
    try {
      var known = api.get(Kinds.NODES, ObjectKey.cluster(node.name()));
      if (known.map(NodeReader::said).orElse(Said.NOTHING) != Said.READY) {
        since = clock.instant();
        statusDue = since;
      }
    } catch (ApiFailure failure) {
      LOG.debug("node {}: {}", node.name(), failure.getMessage());
    }
  }

  private void noteDisk(String problem) {
    if (!disk.problem().equals(problem)) {
      disk = new NodeObject.DiskState(problem, clock.instant());
      statusDue = clock.instant();
    }
  }

  private boolean register() throws Transport.Unreachable, InterruptedException {
    var key = ObjectKey.cluster(node.name());
    try {
      keep(Kinds.NODES, key, node.object(), node.object());
    } catch (ApiFailure failure) {
      return refused("node", failure);
    }
    var status = JsonNodeFactory.instance.objectNode();
    status.set("status", node.status(clock.instant(), since, disk));
    try {
      api.mergePatchStatus(Kinds.NODES, key, status.toString());
      return true;
    } catch (ApiFailure failure) {
      return refused("node status", failure);
    }
  }

  /** Changes the object, or makes it. */
  private void keep(Resource<ObjectNode> kind, ObjectKey key, ObjectNode patch, ObjectNode whole)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      api.mergePatch(kind, key, patch.toString());
    } catch (ApiFailure failure) {
      if (!failure.notFound()) {
        throw failure;
      }
      api.create(kind, key.namespace(), whole);
    }
  }

  private boolean renew() throws Transport.Unreachable, InterruptedException {
    var key = new ObjectKey(LEASE_NAMESPACE, node.name());
    var lease =
        LeaseText.renewal(node.name(), renewal.multipliedBy(LEASE_RENEWALS), clock.instant());
    try {
      keep(Kinds.LEASES, key, lease, LeaseText.object(lease, key.namespace(), key.name()));
      noteDisk("");
      return true;
    } catch (ApiFailure failure) {
      if (failure.code() == UNAVAILABLE) {
        noteDisk(String.valueOf(failure.getMessage()));
      }
      return refused("lease", failure);
    }
  }

  /** Says it once, however often it is tried again. */
  private boolean refused(String what, ApiFailure failure) {
    var text = "%s refused with %d: %s".formatted(what, failure.code(), failure.getMessage());
    if (!text.equals(refusal)) {
      LOG.warn("{}", text);
      refusal = text;
    }
    return false;
  }
}
