package dev.regroup.runtime;

import static java.util.Objects.requireNonNull;

import java.util.List;

/** A command to run in a container, with the container's environment, user and directory. */
public record ExecRequest(List<String> argv, Console console) {

  public ExecRequest {
    requireNonNull(console, "console");
    argv = List.copyOf(argv);
    if (argv.isEmpty()) {
      throw new IllegalArgumentException("argv: must name a command");
    }
  }

  public static ExecRequest of(List<String> argv) {
    return new ExecRequest(argv, Console.NONE);
  }
}
