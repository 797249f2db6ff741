package dev.regroup.agent;

import java.io.IOException;
import java.util.OptionalInt;

/** What differs between the kinds of agents: how a worker is let through, and how it restarts. */
interface AgentBody {

  /** Called once when the first attempt is reported: what can be made ready while waiting. */
  void prepare() throws IOException;

  /**
   * Lets the worker run, if it does not yet.
   *
   * @param attempt the one of the group; empty when the barrier is switched off
   */
  void run(OptionalInt attempt) throws IOException;

  /**
   * The group restarts. Either nothing of the worker is left and a new one can be let through, or
   * the agent has to end.
   *
   * @return whether the agent goes on
   */
  boolean restart() throws IOException;

  /** Whether a worker of this agent's own runs, for which a signal has to wait. */
  boolean working();

  /** The agent ends: nothing of the worker may stay, also where no namespace ends with it. */
  void end();
}
