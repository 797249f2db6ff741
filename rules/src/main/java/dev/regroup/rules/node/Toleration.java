package dev.regroup.rules.node;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * What a pod puts up with.
 *
 * @param key empty for every key
 * @param effect empty for every effect
 * @param limit how long, for taints that evict; empty for ever
 */
public record Toleration(
    String key, Operator operator, String value, String effect, Optional<Duration> limit) {

  public enum Operator {
    EXISTS,
    EQUAL
  }

  public boolean tolerates(Taint taint) {
    if (!effect.isEmpty() && !effect.equals(taint.effect())) {
      return false;
    }
    if (!key.isEmpty() && !key.equals(taint.key())) {
      return false;
    }
    return operator == Operator.EXISTS || value.equals(taint.value());
  }

  /** Whether one of them tolerates the taint. */
  public static boolean any(Collection<Toleration> tolerations, Taint taint) {
    return tolerations.stream().anyMatch(one -> one.tolerates(taint));
  }
}
