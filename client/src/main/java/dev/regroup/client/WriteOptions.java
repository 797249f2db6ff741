package dev.regroup.client;

import java.util.Objects;

/**
 * How a write is to be treated; an empty text leaves it to the server.
 *
 * @param fieldManager who writes
 * @param fieldValidation {@code Strict}, {@code Warn} or {@code Ignore}
 */
public record WriteOptions(
    String fieldManager, String fieldValidation, DryRun dryRun, Conflicts conflicts) {

  public enum DryRun {
    NO,
    YES
  }

  /** What server-side apply does with fields that others manage. */
  public enum Conflicts {
    REFUSE,
    FORCE
  }

  public static final WriteOptions NONE = new WriteOptions("", "", DryRun.NO, Conflicts.REFUSE);

  public WriteOptions {
    Objects.requireNonNull(fieldManager, "fieldManager");
    Objects.requireNonNull(fieldValidation, "fieldValidation");
    Objects.requireNonNull(dryRun, "dryRun");
    Objects.requireNonNull(conflicts, "conflicts");
  }

  public static WriteOptions by(String fieldManager) {
    return new WriteOptions(fieldManager, "", DryRun.NO, Conflicts.REFUSE);
  }

  public WriteOptions withDryRun() {
    return new WriteOptions(fieldManager, fieldValidation, DryRun.YES, conflicts);
  }

  public WriteOptions withForce() {
    return new WriteOptions(fieldManager, fieldValidation, dryRun, Conflicts.FORCE);
  }

  public WriteOptions withFieldValidation(String validation) {
    return new WriteOptions(fieldManager, validation, dryRun, conflicts);
  }

  QueryString query() {
    return new QueryString()
        .add("fieldManager", fieldManager)
        .add("fieldValidation", fieldValidation)
        .add("dryRun", dryRun == DryRun.YES ? "All" : "")
        .add("force", conflicts == Conflicts.FORCE ? "true" : "");
  }
}
