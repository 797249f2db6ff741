package dev.regroup.api;

/** Which spellings a request may use (node.md ACT-03, ACT-11, TPC-27). */
public enum Decoding {
  /** The proposals' draft spellings are read and answered with a warning. */
  LENIENT,
  /** Only what Kubernetes knows; everything else is an unknown field or value. */
  STRICT
}
