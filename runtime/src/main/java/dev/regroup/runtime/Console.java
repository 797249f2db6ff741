package dev.regroup.runtime;

/** What a program has for its standard input, and with it for its output. */
public enum Console {
  /** Nothing to read; output goes to a pipe. */
  NONE,
  /** A pipe to read from. */
  INPUT,
  /** A terminal for all three. */
  TERMINAL
}
