package dev.regroup.node.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the Node object and its Lease alive: registers the node, renews the lease every 10 s and
 * the status every 5 min. One virtual thread; {@link #register} is the first beat and may be called
 * directly so that the node is there before anything else starts.
 */
public final class Heartbeat {

  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final int LEASE_SECONDS = 40;
  private static final Duration RENEW = Duration.ofSeconds(10);
  private static final Duration STATUS = Duration.ofMinutes(5);
  private static final Duration RETRY = Duration.ofMillis(200);

  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final NodeApi api;
  private final NodeObject node;
  private final InstantSource clock;
  private final Instant since;
  private final Thread thread;

  public Heartbeat(NodeApi api, NodeObject node, InstantSource clock) {
    this.api = api;
    this.node = node;
    this.clock = clock;
    this.since = clock.instant();
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

  private void run() {
    var statusDue = clock.instant();
    try {
      while (true) {
        boolean fine = false;
        try {
          fine = renew();
          if (fine && !clock.instant().isBefore(statusDue)) {
            fine = register();
            statusDue = clock.instant().plus(STATUS);
          }
        } catch (Transport.Unreachable e) {
          LOG.debug("heartbeat lost: {}", e.getMessage());
        } catch (RuntimeException e) { // the node is alive as long as it tries
          LOG.error("heartbeat failed", e);
        }
        Thread.sleep(fine ? RENEW : RETRY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop() was called
    }
  }

  private boolean register() throws Transport.Unreachable, InterruptedException {
    var path = "/api/v1/nodes/" + node.name();
    var object = node.object();
    var reply = api.mergePatch(path, object);
    if (reply.notFound()) {
      reply = api.create("/api/v1/nodes", object);
    }
    if (!reply.ok()) {
      return refused("node", reply);
    }
    var status = JsonNodeFactory.instance.objectNode();
    status.set("status", node.status(clock.instant(), since));
    reply = api.mergePatch(path + "/status", status);
    return reply.ok() || refused("node status", reply);
  }

  private boolean renew() throws Transport.Unreachable, InterruptedException {
    var leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    var spec = JsonNodeFactory.instance.objectNode();
    spec.put("holderIdentity", node.name()).put("leaseDurationSeconds", LEASE_SECONDS);
    spec.put("renewTime", MICROS.format(clock.instant()));
    var lease = JsonNodeFactory.instance.objectNode();
    lease.set("spec", spec);
    var reply = api.mergePatch(leases + "/" + node.name(), lease);
    if (reply.notFound()) {
      reply = api.create(leases, named(lease));
    }
    return reply.ok() || refused("lease", reply);
  }

  private ObjectNode named(ObjectNode lease) {
    lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease.putObject("metadata").put("name", node.name()).put("namespace", "kube-node-lease");
    return lease;
  }

  private static boolean refused(String what, NodeApi.Reply reply) {
    LOG.warn("{} refused with {}: {}", what, reply.code(), reply.message());
    return false;
  }
}
