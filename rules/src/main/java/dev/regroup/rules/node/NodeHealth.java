package dev.regroup.rules.node;

import java.util.List;
import java.util.Set;

/**
 * What is to be said of a node (JB-113), by what it last said itself and whether it is still heard.
 * A node is silent when neither its lease nor its status changed for the whole grace period, while
 * whoever listens was awake and the API took writes.
 *
 * <pre>
 *  last said       heard                      silent
 *  ready           ready, no taint            unknown, unreachable
 *  not ready       not ready, not-ready       unknown, unreachable
 *  unknown         unknown, unreachable       unknown, unreachable
 *  nothing yet     nothing                    unknown (never posted), unreachable
 * </pre>
 *
 * <p>Only the node itself says that it is ready again: one that is merely heard keeps its taints.
 */
public enum NodeHealth {
  FINE,
  NOT_READY,
  UNREACHABLE;

  private static final String NOT_READY_KEY = "node.kubernetes.io/not-ready";
  private static final String UNREACHABLE_KEY = "node.kubernetes.io/unreachable";

  /** What the node's condition {@code Ready} says. */
  public enum Said {
    READY,
    NOT_READY,
    UNKNOWN,
    NOTHING
  }

  /** Whether the node was heard within the grace period. */
  public enum Voice {
    HEARD,
    SILENT
  }

  /** Keys of the taints that follow from a node's health; all others belong to somebody else. */
  public static final Set<String> KEYS = Set.of(NOT_READY_KEY, UNREACHABLE_KEY);

  public static NodeHealth of(Said said, Voice voice) {
    if (voice == Voice.SILENT) {
      return UNREACHABLE;
    }
    return switch (said) {
      case READY, NOTHING -> FINE;
      case NOT_READY -> NOT_READY;
      case UNKNOWN -> UNREACHABLE;
    };
  }

  /** The taints of {@link #KEYS} it has, no others. */
  public List<Taint> taints() {
    return switch (this) {
      case FINE -> List.of();
      case NOT_READY -> both(NOT_READY_KEY);
      case UNREACHABLE -> both(UNREACHABLE_KEY);
    };
  }

  private static List<Taint> both(String key) {
    return List.of(new Taint(key, "", Taint.NO_SCHEDULE), new Taint(key, "", Taint.NO_EXECUTE));
  }
}
