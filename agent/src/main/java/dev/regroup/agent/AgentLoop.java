package dev.regroup.agent;

import dev.regroup.agent.AgentConfig.Mode;
import dev.regroup.agent.AgentInbox.Knowledge;
import dev.regroup.rules.Exit;
import dev.regroup.rules.group.AgentMind;
import dev.regroup.rules.group.AgentMind.Arrive;
import dev.regroup.rules.group.AgentMind.Hold;
import dev.regroup.rules.group.AgentMind.Restart;
import dev.regroup.rules.group.AgentMind.Run;
import dev.regroup.rules.group.AgentMind.Self;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.group.WorkerEnd;
import java.io.IOException;
import java.time.Instant;
import java.util.OptionalInt;

/**
 * The life of an agent on its one acting thread:
 *
 * <ol>
 *   <li>Read the JobSet, then follow it.
 *   <li>Ask {@link AgentMind} what to do with what is known now, and do it: write the attempt, let
 *       the worker through, restart. Each changes what is known, so ask again.
 *   <li>When there is nothing to do, wait for news: other orders, the end of the worker, a signal,
 *       or the time to write again what was refused, or to start a worker again that ended.
 * </ol>
 *
 * <p>It ends with the code the process shall exit with; never with 0 while the worker runs.
 */
final class AgentLoop {

  private final AgentConfig config;
  private final AgentInbox inbox;
  private final AgentBody body;
  private final JobSetFeed feed;
  private final AttemptNote report;
  private final Retry retry = new Retry();
  private final WorkerRestarts restarts = new WorkerRestarts();
  private Self self = Self.NEW;
  private boolean following;
  private long writeAgain; // in nanoseconds of the clock, while writing is refused
  private boolean refused;

  AgentLoop(AgentConfig config) {
    var connector = new ApiConnector(config.api());
    this.config = config;
    this.inbox = new AgentInbox();
    this.body =
        config.mode() == Mode.SIDECAR ? new SidecarBody(config) : new WorkerBody(config, inbox);
    this.feed = new JobSetFeed(connector, config.place());
    this.report = new AttemptNote(connector, config.place(), config.naming());
  }

  /** Runs until the agent has to end; returns its exit code. */
  int run() throws IOException, InterruptedException {
    try {
      return live();
    } finally {
      body.end();
    }
  }

  private int live() throws IOException, InterruptedException {
    inbox.orders(feed.first());
    while (true) {
      Knowledge known = inbox.look();
      OptionalInt end = judgeEnd(known);
      if (end.isPresent()) {
        return end.getAsInt();
      }
      AgentMind next = AgentMind.of(known.orders(), self);
      if (next instanceof Restart order) {
        AgentLog.say("attempt " + order.from() + " is over, restarting with the group");
        if (!body.restart()) {
          return config.exitCode();
        }
        leave();
      } else if (settled(next)) {
        follow();
        inbox.await(pause());
      }
    }
  }

  /** What the end of the worker or a signal means for the agent; empty when it goes on. */
  private OptionalInt judgeEnd(Knowledge known) throws IOException {
    OptionalInt ended = known.workerEnded();
    if (known.signal() != 0 && !body.working()) {
      return OptionalInt.of(128 + known.signal()); // also when the worker ended well (JS-128)
    }
    if (ended.isEmpty()) {
      return OptionalInt.empty();
    }
    return config.mode() == Mode.PROCESS ? judgeEnd(ended.getAsInt(), known.orders()) : ended;
  }

  private OptionalInt judgeEnd(int code, GroupOrders orders) throws IOException {
    var exit = new Exit(code, Exit.Cause.ORDINARY, restarts.count());
    return switch (WorkerEnd.of(config.rules(), exit, orders.knowledge())) {
      case WorkerEnd.Over(int last) -> OptionalInt.of(last);
      case WorkerEnd.Again() -> {
        var _ = body.restart(); // what it left behind
        restarts.ended(Instant.now());
        AgentLog.say("the worker ended with " + code + ", " + restarts.plan(Instant.now()));
        yield OptionalInt.empty();
      }
      case WorkerEnd.WithTheGroup() -> {
        AgentLog.say("the worker ended with " + code + ", restarting with the group");
        var _ = body.restart(); // what it left behind
        self = self.running(); // it ran, so its attempt is spent
        leave();
        yield OptionalInt.empty();
      }
    };
  }

  private void leave() {
    self = self.left();
    restarts.forget();
    var _ = inbox.look(); // the end that was just caused is no news
  }

  /**
   * Does what is to be done.
   *
   * @return whether there is nothing more to do for now
   */
  private boolean settled(AgentMind next) throws IOException {
    if (next instanceof Arrive arrive) {
      return !arrived(arrive.attempt());
    }
    if (next instanceof Run) {
      if (restarts.left(Instant.now()).isPositive()) {
        return true; // a worker that ends again and again
      }
      body.run(self.attempt());
      if (self.worker() != AgentMind.Worker.STARTED) {
        self = self.running();
        AgentLog.say(
            self.attempt().isPresent()
                ? "attempt " + self.attempt().getAsInt() + " runs"
                : "the JobSet has no barrier, the worker runs");
      }
      return true;
    }
    return next instanceof Hold;
  }

  private boolean arrived(int attempt) throws IOException {
    if (refused && System.nanoTime() - writeAgain < 0) {
      return false;
    }
    try {
      report.write(attempt, following ? null : feed.idle());
    } catch (IOException e) {
      if (retry.first()) {
        AgentLog.say("attempt " + attempt + " is not written yet: " + e.getMessage());
      }
      refused = true;
      writeAgain = System.nanoTime() + retry.nextMillis() * 1_000_000;
      return false;
    }
    refused = false;
    retry.succeeded();
    self = self.arrived(attempt);
    AgentLog.say("at attempt " + attempt);
    follow();
    body.prepare();
    return true;
  }

  private void follow() {
    if (!following) {
      following = true;
      feed.follow(inbox::orders);
    }
  }

  /** Milliseconds until something is due that no news announce; 0 for nothing. */
  private long pause() {
    if (refused) {
      return Math.max(1, (writeAgain - System.nanoTime()) / 1_000_000);
    }
    var left = restarts.left(Instant.now());
    return left.isPositive() ? Math.max(1, left.toMillis()) : 0;
  }
}
