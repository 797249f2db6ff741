package dev.regroup.agent;

/** A variable or file that the agent cannot start with; the message names it and the way out. */
final class BadSetting extends Exception {

  BadSetting(String message) {
    super(message);
  }
}
