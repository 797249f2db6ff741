package dev.regroup.agent;

/** Lines for people, on standard error: standard output belongs to the worker. */
final class AgentLog {

  private AgentLog() {}

  static void say(String line) {
    System.err.println("in-place-restart-agent: " + line);
  }
}
