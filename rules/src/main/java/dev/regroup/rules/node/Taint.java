package dev.regroup.rules.node;

/**
 * What keeps pods away from a node.
 *
 * @param effect as on the wire, such as {@code NoSchedule}
 */
public record Taint(String key, String value, String effect) {

  public static final String NO_SCHEDULE = "NoSchedule";
  public static final String NO_EXECUTE = "NoExecute";

  /** Pods must not stay either. */
  public boolean evicts() {
    return effect.equals(NO_EXECUTE);
  }

  /** Pods are not put there, if they are to stay or not. */
  public boolean repels() {
    return effect.equals(NO_SCHEDULE) || evicts();
  }
}
