package dev.regroup.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Announces an ERROR line or an uncaught exception that a test provokes. It stands on the test or
 * on its class, holds from the start of the test to the end of the class (what runs in the
 * background may speak late), and keeps the line out of the output.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(ExpectsError.All.class)
public @interface ExpectsError {

  /** A regular expression found in the line: logger, message and exception. */
  String value();

  /** What the test does to provoke it. */
  String because();

  /** Several of them. */
  @Inherited
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.METHOD, ElementType.TYPE})
  @interface All {
    ExpectsError[] value();
  }
}
