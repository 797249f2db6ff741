/**
 * What the tests of every module share: a test fails on an ERROR line, an uncaught exception or a
 * thread left behind that it did not announce. JUnit finds it by itself once the module is on the
 * test class path. What is costly to make is made once per JVM ({@link
 * dev.regroup.testing.MadeOnce}). Nothing here is part of the product. Start reading at {@link
 * dev.regroup.testing.NoSurprises}.
 */
@NullMarked
package dev.regroup.testing;

import org.jspecify.annotations.NullMarked;
