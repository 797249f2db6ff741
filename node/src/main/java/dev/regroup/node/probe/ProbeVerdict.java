package dev.regroup.node.probe;

/** What one run of a handler came to. */
public sealed interface ProbeVerdict {

  record Success(String output) implements ProbeVerdict {}

  record Failure(String output) implements ProbeVerdict {}

  /** It could not be run at all; says nothing about the container. */
  record Unable(String problem) implements ProbeVerdict {}

  /** Counts as success, with something a person should know (PRB-08). */
  record Warning(String output) implements ProbeVerdict {}
}
