package dev.regroup.api;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerRestartRule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Pod fields that Regroup adds and the Kubernetes library does not know (node.md ACT-07, COND-02 to
 * COND-04, RAC-14, API-08). They live in {@code additionalProperties}; admission has brought them
 * into the one canonical form read here.
 */
public final class ExtendedFields {

  private ExtendedFields() {}

  /** Whether the end of this container ends its pod: {@code lifecycle.onCompletion}. */
  public static boolean terminatesPodOnCompletion(Container container) {
    var lifecycle = container.getLifecycle();
    return lifecycle != null
        && "TerminatePod".equals(lifecycle.getAdditionalProperties().get("onCompletion"));
  }

  /** Sidecars that a restart of all containers leaves alone (ACT-07). */
  public static List<String> keep(ContainerRestartRule rule) {
    return raw(rule, "keep")
        .filter(List.class::isInstance)
        .map(value -> ((List<?>) value).stream().map(String::valueOf).toList())
        .orElse(List.of());
  }

  /** Grace for the victims of this rule (RAC-14). */
  public static OptionalLong terminationGracePeriodSeconds(ContainerRestartRule rule) {
    return raw(rule, "terminationGracePeriodSeconds").orElse(null) instanceof Number seconds
        ? OptionalLong.of(seconds.longValue())
        : OptionalLong.empty();
  }

  /** Matches after that many restarts in the current epoch (COND-02). */
  public static OptionalInt restartTimes(ContainerRestartRule rule) {
    return raw(rule, "restartTimes").orElse(null) instanceof Number times
        ? OptionalInt.of(times.intValue())
        : OptionalInt.empty();
  }

  /** Matches when the kernel ended the container for want of memory (COND-03). */
  public static boolean onOomKill(ContainerRestartRule rule) {
    return raw(rule, "oomKill").isPresent();
  }

  /** Matches every exit (COND-04). */
  public static boolean onAnyExit(ContainerRestartRule rule) {
    return raw(rule, "exit").isPresent();
  }

  private static Optional<Object> raw(ContainerRestartRule rule, String field) {
    @Nullable Map<String, Object> more = rule.getAdditionalProperties();
    return more == null ? Optional.empty() : Optional.ofNullable(more.get(field));
  }
}
