package dev.regroup.node.probe;

/** What one run of a handler came to. */
public sealed interface Verdict {

  record Success(String output) implements Verdict {}

  record Failure(String output) implements Verdict {}

  /** It could not be run at all; says nothing about the container. */
  record Unable(String problem) implements Verdict {}

  /** Counts as success, with something a person should know (PRB-08). */
  record Warning(String output) implements Verdict {}
}
