package dev.regroup.node.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Backoff;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import dev.regroup.node.pod.StartsFirst;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Sends the states of one pod to {@code pods/status}, in order, on its own virtual thread.
 *
 * <p>A state that is not yet on its way is replaced by a newer one with the same {@link
 * Report#mustSee}; states that differ in it are all written, one after the other, unless one was
 * only to be seen in passing. When no answer comes, or one that says the server cannot write now,
 * everything but the newest state is dropped (RAC-75) and the newest is tried again. A refused
 * state is dropped and logged: the next change makes a new one.
 */
public final class StatusReporter {

  private static final Logger LOG = LoggerFactory.getLogger(StatusReporter.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(100);
  private static final Duration LAST_RETRY = Duration.ofSeconds(10);

  /** How long a state that leads to another one waits for it. */
  static final Duration PASSING = Duration.ofMillis(25);

  /** Longest queue of states a watch has to see; beyond it the oldest are given up. */
  private static final int MOST_PENDING = 64;

  /** Who the pod is. A pod of the same name with another uid is never touched. */
  public record Target(String namespace, String name, String uid) {}

  private final ApiClient api;
  private final Target target;
  private final StartsFirst starts;
  private final Runnable onGone;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<PodReport> pending = new ArrayDeque<>();
  private final Thread thread;

  private @Nullable PodReport newest; // last one handed over
  private @Nullable PodReport written; // last one the server accepted
  private long writtenVersion;
  private JsonNode base; // the status the server has; only the sending thread uses it
  private boolean busy;
  private @Nullable Shown meanwhile; // the newest that was seen while busy

  /** A revision of the pod as the server showed it. */
  private record Shown(long version, JsonNode status) {}

  /**
   * For one pod; the thread starts at once.
   *
   * @param base the status the server had when the node first saw the pod
   * @param onGone told when the server does not know the pod any more
   */
  public StatusReporter(
      ApiClient api, Target target, StartsFirst starts, JsonNode base, Runnable onGone) {
    this.api = api;
    this.target = target;
    this.starts = starts;
    this.base = base;
    this.onGone = onGone;
    this.thread =
        Thread.ofVirtual()
            .name("status-" + target.namespace() + "/" + target.name())
            .start(this::run);
  }

  /** Takes over a newer state. Never waits. */
  public void publish(PodReport report) {
    lock.lock();
    try {
      if (report.equals(newest)) {
        return;
      }
      var last = pending.peekLast();
      boolean overtakes = last != null && last.urgency() == PodReport.Urgency.IN_PASSING;
      boolean replaces = last != null && last.mustSee().equals(report.mustSee());
      if (overtakes || replaces) {
        pending.removeLast();
      }
      pending.addLast(replaces && !overtakes ? report.asUrgentAs(last) : report);
      if (pending.size() > MOST_PENDING) {
        pending.removeFirst();
      }
      newest = report;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Somebody changed the pod: when it was the status the node owns, write it again (CND-12). */
  public void seen(long version, JsonNode status) {
    lock.lock();
    try {
      if (busy) {
        meanwhile = new Shown(version, status); // before or after the write? its answer tells
      } else {
        repair(version, status);
      }
    } finally {
      lock.unlock();
    }
  }

  private void repair(long version, JsonNode status) {
    if (written == null || version <= writtenVersion || !pending.isEmpty()) {
      return; // an echo of an own write, or the next write repairs it anyway
    }
    if (!Owned.same(written.status(), status)) {
      pending.addLast(written);
      changed.signalAll();
    }
  }

  /** Waits until everything handed over was answered; false when the time is over. */
  public boolean flush(Duration limit) throws InterruptedException {
    long left = limit.toNanos();
    lock.lock();
    try {
      while (busy || !pending.isEmpty()) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread; what was not sent is lost, the next node process sends a fresh state. */
  public void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void run() {
    var pauses = new Backoff(FIRST_RETRY, LAST_RETRY);
    try {
      while (true) {
        var report = take();
        if (trySend(report)) {
          pauses.reset();
          done();
        } else {
          keepNewest(report);
          Thread.sleep(pauses.next());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop() was called
    }
  }

  /** False if it may work later. */
  private boolean trySend(PodReport report) throws InterruptedException {
    try {
      return send(report);
    } catch (Transport.Unreachable e) {
      LOG.debug("{}/{}: API server unreachable", target.namespace(), target.name());
      return false;
    } catch (RuntimeException e) { // this thread is the only one the pod has
      LOG.error("{}/{}: status cannot be sent", target.namespace(), target.name(), e);
      return true;
    }
  }

  private PodReport take() throws InterruptedException {
    switch (awaitFirst()) {
      case AT_ONCE -> {}
      case IN_PASSING -> awaitOvertaking();
      case AFTER_STARTS -> starts.awaitNone();
    }
    lock.lock();
    try {
      busy = true;
      return pending.removeFirst(); // or what has replaced it meanwhile
    } finally {
      lock.unlock();
    }
  }

  private PodReport.Urgency awaitFirst() throws InterruptedException {
    lock.lock();
    try {
      while (pending.isEmpty()) {
        changed.await();
      }
      return pending.getFirst().urgency();
    } finally {
      lock.unlock();
    }
  }

  private void awaitOvertaking() throws InterruptedException {
    long left = PASSING.toNanos();
    lock.lock();
    try {
      while (left > 0 && pending.getLast().urgency() == PodReport.Urgency.IN_PASSING) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void done() {
    lock.lock();
    try {
      busy = false;
      if (meanwhile != null) {
        repair(meanwhile.version(), meanwhile.status());
        meanwhile = null;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void keepNewest(PodReport failed) {
    lock.lock();
    try {
      busy = false;
      meanwhile = null; // what is written next repairs it
      var latest = pending.isEmpty() ? failed : pending.getLast();
      pending.clear();
      pending.addLast(latest);
    } finally {
      lock.unlock();
    }
  }

  private boolean send(PodReport report) throws Transport.Unreachable, InterruptedException {
    ObjectNode pod;
    try {
      pod =
          api.patch(
              Kinds.PODS,
              new ObjectKey(target.namespace(), target.name()),
              "status",
              new Patch(Patch.Type.STRATEGIC_MERGE, Wire.write(patch(report))),
              WriteOptions.NONE);
    } catch (ApiFailure failure) {
      return refused(failure);
    }
    base = pod.path("status");
    lock.lock();
    try {
      written = report;
      writtenVersion = pod.path("metadata").path("resourceVersion").asLong();
    } finally {
      lock.unlock();
    }
    return true;
  }

  /** False if it may work later. */
  private boolean refused(ApiFailure failure) {
    if (failure.notFound() || failure.conflict()) {
      onGone.run(); // gone, or replaced by a pod with another uid
      return true;
    }
    boolean later = failure.code() >= 500 || failure.code() == 429;
    LOG.atLevel(later ? Level.DEBUG : Level.WARN)
        .log(
            "{}/{}: status refused with {}: {}",
            target.namespace(),
            target.name(),
            failure.code(),
            failure.getMessage());
    return !later;
  }

  private ObjectNode patch(PodReport report) {
    var patch = JsonNodeFactory.instance.objectNode();
    var metadata = patch.putObject("metadata").put("uid", target.uid());
    if (!report.annotations().isEmpty()) {
      var annotations = metadata.putObject("annotations");
      report.annotations().forEach(annotations::put);
    }
    patch.set("status", StatusPatch.of(base, report.status()));
    return patch;
  }
}
