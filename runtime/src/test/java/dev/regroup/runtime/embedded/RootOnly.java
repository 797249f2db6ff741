package dev.regroup.runtime.embedded;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Tests with real namespaces need root; elsewhere they say so and step aside. */
public final class RootOnly {

  private RootOnly() {}

  public static void check() {
    if (Isolation.probe() instanceof Isolation.Unavailable(String reason)) {
      System.out.println("skipped: " + reason);
      assumeTrue(false, reason);
    }
  }
}
