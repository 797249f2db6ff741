package dev.regroup.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Announces a thread that outlives the tests of a class. */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(ExpectsThread.All.class)
public @interface ExpectsThread {

  /** A regular expression for the whole name of the thread. */
  String value();

  /** Why nobody can end it. */
  String because();

  /** Several of them. */
  @Inherited
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @interface All {
    ExpectsThread[] value();
  }
}
