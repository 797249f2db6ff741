package dev.regroup.runtime;

import java.util.OptionalInt;

/**
 * What a probe or hook needs to know about a command that ran in a container.
 *
 * @param exitCode empty if it was ended because the time was over
 * @param output the beginning of what it wrote, standard error after standard output
 */
public record ExecResult(OptionalInt exitCode, String output) {

  public boolean succeeded() {
    return exitCode.isPresent() && exitCode.getAsInt() == 0;
  }
}
