package dev.regroup.api.cel;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.values.CelByteString;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * How much expressions may do before they are stopped: steps of evaluation, shared by all that get
 * this budget, and a moment. One thread.
 */
public final class CelBudget {

  /** The most steps of one expression, as the cost limit of one call in Kubernetes. */
  static final long PER_EXPRESSION = 1_000_000;

  static final String SPENT = "operation cancelled: actual cost limit exceeded";

  private static final int CHARACTERS_PER_STEP = 10; // of a result, as in Kubernetes
  private static final int ITEMS_PER_STEP = 1_000; // a list grows item by item: that must be cheap
  private static final int LOOKS_AT_CLOCK = 256; // steps, so that the clock costs nothing

  private final LongSupplier nanos;
  private final long end;
  private long left;
  private long leftForExpression;
  private int untilClock = LOOKS_AT_CLOCK;
  private boolean spent;

  private CelBudget(long steps, LongSupplier nanos, long end) {
    this.left = steps;
    this.nanos = nanos;
    this.end = end;
  }

  /**
   * A budget that begins to be spent now.
   *
   * @param steps for all expressions together
   * @param nanos a clock that only goes on
   */
  public static CelBudget of(long steps, Duration time, LongSupplier nanos) {
    return new CelBudget(steps, nanos, nanos.getAsLong() + time.toNanos());
  }

  public boolean spent() {
    return spent;
  }

  void begin() {
    leftForExpression = PER_EXPRESSION;
  }

  /**
   * One more step, or more when it has made something large; throws when there is none left, and
   * from then on always.
   */
  void step(CelExpr part, Object made) {
    long steps = part.getKind() == CelExpr.ExprKind.Kind.CALL ? 1 + weight(made) : 1;
    left -= steps;
    leftForExpression -= steps;
    if (--untilClock == 0) {
      untilClock = LOOKS_AT_CLOCK;
      spent |= nanos.getAsLong() - end > 0;
    }
    if (spent || left < 0 || leftForExpression < 0) {
      spent |= left < 0;
      throw new Spent();
    }
  }

  private static long weight(Object made) {
    return switch (made) {
      case String text -> text.length() / CHARACTERS_PER_STEP;
      case CelByteString bytes -> bytes.size() / CHARACTERS_PER_STEP;
      case List<?> list -> list.size() / ITEMS_PER_STEP;
      default -> 0;
    };
  }

  /** Ends an evaluation. */
  static final class Spent extends RuntimeException {
    private static final long serialVersionUID = 1;

    Spent() {
      super(SPENT, null, false, false);
    }
  }
}
