package dev.regroup.store;

/** What became of a write. What it says is on disk when the caller gets it. */
public sealed interface WriteOutcome {

  /** Done. After a delete this is the last value, at the revision of the deletion. */
  record Committed(Entry entry) implements WriteOutcome {}

  /** Nothing was written: the key to create exists. */
  record Exists(Entry current) implements WriteOutcome {}

  /** Nothing was written: the key to update or delete does not exist. */
  record Missing() implements WriteOutcome {}

  /** Nothing was written: the key is at another revision than the caller expected. */
  record Changed(Entry current) implements WriteOutcome {}
}
